"""A server on a free loopback port, in a thread of its own: what the scripted models stand on."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Loopback(ThreadingHTTPServer):
    """Serves from `start` to `stop`.

    Attributes:
        owner: Whose server it is; a handler finds it as `self.server.owner`.
    """

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler], owner: Any) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.owner = owner
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has gone: tests kill clients on purpose."""
