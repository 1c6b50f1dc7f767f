"""A client of the Model Context Protocol that does what it is told line by line, as JSON on its standard input,
and tells what comes of it the same way. Its protocol is that of the official SDK (`mcp`)."""

import json
import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def tell(event, **more):
    print(json.dumps({"event": event, **more}), flush=True)


def target(said):
    if "command" in said:
        command, *args = said["command"]
        return StdioServerParameters(command=command, args=args, env=said.get("env"))
    if "headers" in said:
        from mcp.shared._httpx_utils import create_mcp_http_client

        return streamable_http_client(said["url"], http_client=create_mcp_http_client(headers=said["headers"]))
    return said["url"]


async def main():
    said = json.loads(sys.argv[1])
    scopes = {}

    async def heard(message):
        if "list_changed" in str(getattr(message, "method", "")):
            tell("changed")

    async with Client(target(said), mode=said.get("mode", "auto"), message_handler=heard) as client:
        info = client.server_info
        tell("ready", version=client.protocol_version, server=info.name if info else None)

        async def call(order):
            async def progress(now, total, message):
                tell("progress", id=order["id"], progress=now, message=message)

            with anyio.CancelScope() as scope:
                scopes[order["id"]] = scope
                try:
                    done = await client.call_tool(order["name"], order.get("arguments"), progress_callback=progress)
                    tell("done", id=order["id"], result=done.model_dump(mode="json", by_alias=True))
                except Exception as fault:
                    tell("fault", id=order["id"], words=str(fault))
                return
            tell("cancelled", id=order["id"])

        async def listen():
            async with client.listen(tools_list_changed=True) as events:
                tell("listening")
                async for _ in events:
                    tell("changed")

        async with anyio.create_task_group() as tasks:
            lines = anyio.wrap_file(sys.stdin)
            async for line in lines:
                order = json.loads(line)
                match order["do"]:
                    case "list":
                        tools, cursor = [], None
                        while True:
                            page = await client.list_tools(cursor=cursor, cache_mode="bypass")
                            tools += [tool.model_dump(mode="json", by_alias=True) for tool in page.tools]
                            cursor = page.next_cursor
                            if cursor is None:
                                break
                        tell("tools", tools=tools)
                    case "call":
                        tasks.start_soon(call, order)
                    case "cancel":
                        scopes[order["id"]].cancel()
                    case "listen":
                        tasks.start_soon(listen)
                    case "end":
                        break
            tasks.cancel_scope.cancel()
    tell("ended")


anyio.run(main)
