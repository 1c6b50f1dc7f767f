"""A collector of OpenTelemetry on a free port: prints the port, then each span that it is sent as a line of JSON,
read with OpenTelemetry's own messages. `--away N` refuses the first N requests, as one that is too busy does."""
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

away = int(sys.argv[sys.argv.index("--away") + 1]) if "--away" in sys.argv else 0


def value(any_value):
    kind = any_value.WhichOneof("value")
    return None if kind is None else getattr(any_value, kind)


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        global away
        body = self.rfile.read(int(self.headers["content-length"]))
        if away > 0:
            away -= 1
            self.send_response(503)
            self.end_headers()
            return
        assert self.path == "/v1/traces" and self.headers["content-type"] == "application/x-protobuf"
        request = ExportTraceServiceRequest.FromString(body)
        for of_resource in request.resource_spans:
            for of_scope in of_resource.scope_spans:
                for span in of_scope.spans:
                    self.told(of_resource, of_scope, span)
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.end_headers()
        self.wfile.write(ExportTraceServiceResponse().SerializeToString())

    def told(self, of_resource, of_scope, span):
        told = {
            "trace": span.trace_id.hex(),
            "id": span.span_id.hex(),
            "parent": span.parent_span_id.hex() or None,
            "name": span.name,
            "kind": span.kind,
            "begin": span.start_time_unix_nano,
            "end": span.end_time_unix_nano,
            "status": span.status.code,
            "attributes": attributes(span.attributes),
            "resource": attributes(of_resource.resource.attributes),
            "scope": of_scope.scope.name,
            "schema": of_scope.schema_url,
            "key": self.headers.get("x-key"),
        }
        print(json.dumps(told), flush=True)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Collector)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
