"""Chats with an agent through OpenAI's own library: python chat.py BASE MODEL. Prints what it was told as JSON."""
import json
import sys
import urllib.request

import openai

base, model = sys.argv[1:3]
client = openai.OpenAI(base_url=f"{base}/v1", api_key="any", max_retries=0)
told = {"models": [one.id for one in client.models.list()], "model": client.models.retrieve(model).id}
messages = []


def say(text):
    """One message, streamed: the pieces, the end and the usage."""
    messages.append({"role": "user", "content": text})
    stream = client.chat.completions.create(
        model=model, messages=messages, stream=True, stream_options={"include_usage": True}
    )
    pieces, last, usage = [], None, None
    for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            if choice.delta.content:
                pieces.append(choice.delta.content)
            if choice.finish_reason:
                last = chunk
    messages.append({"role": "assistant", "content": "".join(pieces)})
    return {"pieces": pieces, "finish": last.choices[0].finish_reason, "total": usage.total_tokens, **last.askfirst}


def answer(reference, body):
    request = urllib.request.Request(
        f"{base}/api/questions/{reference}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    urllib.request.urlopen(request).read()


def until_ended(run):
    """The run's own facts, as they come, up to its end."""
    request = urllib.request.Request(f"{base}/api/runs/{run}/events", headers={"accept": "text/event-stream"})
    for line in urllib.request.urlopen(request):
        if b'"type":"run_ended"' in line and f'"run_id":"{run}"'.encode() in line:
            return


told["asked"] = say("Create hello.txt with 'Hello World'")
told["repeated"] = say("yes, do it")
answer(told["asked"]["questions"][0], {"confirmed": True})
until_ended(told["asked"]["run_id"])
told["after"] = say("And now say bye")
whole = client.chat.completions.create(model=model, messages=[*messages, {"role": "user", "content": "And now say bye"}])
told["whole"] = {"content": whole.choices[0].message.content, "total": whole.usage.total_tokens, **whole.askfirst}
other = [{"role": "user", "content": "Kyiv is nice"}, {"role": "assistant", "content": "It is."}]
other.append({"role": "user", "content": "And now say bye"})
elsewhere = client.chat.completions.create(model=model, messages=other)
told["elsewhere"] = {"content": elsewhere.choices[0].message.content, **elsewhere.askfirst}
try:
    client.chat.completions.create(model="nobody", messages=[{"role": "user", "content": "x"}])
except openai.NotFoundError as fault:
    told["fault"] = {"code": fault.code, "message": fault.message}
print(json.dumps(told))
