"""OpenAI's batch API on loopback: files, batches that the test ends, and their results.

The answers are those of a `ModelServer`.
"""

from __future__ import annotations

import json
import re
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import Loopback
from model_server import ModelServer, Reply
from reply_bodies import openai_chat, text_of


class BatchServer:
    """The server. Use it under `with`.

    Attributes:
        end: Called with the number of a batch at each look at it, from 1 on; how it ends, or
            "in_progress".
        lost: Called with the number of a batch and the place of a request: whether it has no reply.
        missing: Called with the number of a batch at each look at it; whether it is not found.
        missing_status: The status of that reply, whose body is an error.
        line: Called with each line of results; changes it.
        broken: The number of requests to create a batch whose connection breaks after the batch
            was made.
        batches, files: All that were made and not deleted.
    """

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        self.end = lambda number: "completed"
        self.lost = lambda number, place: False
        self.missing = lambda number: False
        self.missing_status = 404
        self.line = lambda line: line
        self.broken = 0
        self.batches: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        self.made = 0

    def __enter__(self) -> BatchServer:
        self._http = Loopback(_Handler, self)
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()

    @property
    def base_url(self) -> str:
        return f"{self._http.address}/v1"

    def add_file(self, data: bytes) -> str:
        self.made += 1
        name = f"file-{self.made}"
        self.files[name] = data
        return name

    def requests(self) -> list[str]:
        """The ids of the requests in all batches."""
        return [request for batch in self.batches for request in batch["requests"]]

    def look(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch, which may have ended."""
        if batch["status"] == "in_progress":
            number = self.batches.index(batch) + 1
            batch["status"] = self.end(number)
            if batch["status"] == "failed":
                batch["errors"] = {"object": "list", "data": [{"message": "enqueued token limit"}]}
            elif batch["status"] != "in_progress":
                self._answer(batch, number)
        return {name: value for name, value in batch.items() if name != "requests"}

    def _answer(self, batch: dict[str, Any], number: int) -> None:
        good, bad = [], []
        for place, line in enumerate(self.files[batch["input_file_id"]].splitlines()):
            asked = json.loads(line)
            entry: dict[str, Any] = {"id": "r", "custom_id": asked["custom_id"], "error": None}
            if self.lost(number, place):
                error = {"code": "batch_expired", "message": "not executed in time"}
                bad.append(entry | {"response": None, "error": error})
                continue
            _, reply = self.model._reply(asked["body"])
            status = reply.status if isinstance(reply, Reply) else 200
            body = (
                reply.body
                if isinstance(reply, Reply)
                else openai_chat(asked["body"], text_of(reply), "")
            )
            response = {"status_code": status, "request_id": "q", "body": body}
            (good if status == 200 else bad).append(entry | {"response": response})
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                told = [self.line(json.dumps(each)) for each in lines]
                batch[name] = self.add_file("\n".join(told).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_GET(self) -> None:
        server: BatchServer = self.server.owner
        error = {"error": {"message": "there is no such thing"}}
        if found := re.fullmatch(r"/v1/files/([\w-]+)/content", self.path):
            file = server.files.get(found[1])
            self._send(error if file is None else file, 404 if file is None else 200)
        elif found := re.fullmatch(r"/v1/batches/batch-(\d+)", self.path):
            if server.missing(int(found[1])):
                self._send(error, server.missing_status)
            else:
                self._send(server.look(server.batches[int(found[1]) - 1]))
        else:
            shown = [server.look(batch) for batch in server.batches]
            self._send({"object": "list", "data": shown[::-1], "has_more": False})

    def do_POST(self) -> None:
        server: BatchServer = self.server.owner
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/files":
            head = f"content-type: {self.headers['content-type']}\n\n".encode()
            parts = BytesParser().parsebytes(head + body).get_payload()
            fields = {part.get_param("name", header="content-disposition"): part for part in parts}
            assert fields["purpose"].get_payload() == "batch"
            name = server.add_file(fields["file"].get_payload(decode=True))
            self._send({"id": name, "object": "file", "purpose": "batch"})
            return
        asked = json.loads(body)
        assert asked["completion_window"] == "24h" and asked["endpoint"] == "/v1/chat/completions"
        lines = [json.loads(line) for line in server.files[asked["input_file_id"]].splitlines()]
        batch = {
            "id": f"batch-{len(server.batches) + 1}",
            "object": "batch",
            "status": "in_progress",
            "created_at": 0,
            "requests": [line["custom_id"] for line in lines],
        }
        server.batches.append(batch | asked)
        if server.broken:
            server.broken -= 1
            self.close_connection = True
            return
        self._send(server.look(server.batches[-1]) | {"status": "validating"})

    def do_DELETE(self) -> None:
        name = self.path.rpartition("/")[2]
        del self.server.owner.files[name]
        self._send({"id": name, "object": "file", "deleted": True})

    def _send(self, value: Any, status: int = 200) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in (
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
