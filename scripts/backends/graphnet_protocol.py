"""The protocol between graphnet and its workers (version 1), for workers written in Python.

JSON lines: requests on standard input, answers on standard output. Whatever a library prints goes to standard error, so
that it cannot break the protocol. One request at a time; the end of standard input ends the worker.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

PROTOCOL_VERSION = 1

Method = Callable[[dict[str, Any], "Report"], dict[str, Any]]


class RequestError(Exception):
    """An answer of the kind "error". Kinds are graphnet's: usage, input, unsupported, environment, internal; stages and
    causes those of its outcomes ("compile"; "exception", "unsupported operator", "out of memory", "signal")."""

    def __init__(self, kind: str, message: str, stage: str = "", cause: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.stage = stage
        self.cause = cause

    def fields(self) -> dict[str, str]:
        named = {"kind": self.kind, "stage": self.stage, "cause": self.cause, "message": str(self)}
        return {key: value for key, value in named.items() if value}


class Report:
    """Tells the other side what a running request is doing, and remembers the stage for an error's sake."""

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._send = send
        self.current_stage = ""

    def stage(self, name: str) -> None:
        self.current_stage = name
        self._send({"event": "stage", "stage": name})

    def warning(self, message: str) -> None:
        self._send({"event": "warning", "message": message})


class Channel:
    """The protocol's output stream, apart from standard output, which is pointed at standard error."""

    def __init__(self) -> None:
        self._descriptor = os.dup(1)
        os.set_inheritable(self._descriptor, False)
        os.dup2(2, 1)

    def send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]


def answer(request_id: Any, method: Method, params: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
    """Runs a method and sends its events and then its result or error."""
    report = Report(lambda message: send({"id": request_id, **message}))
    try:
        result = method(params, report)
    except RequestError as error:
        error.stage = error.stage or report.current_stage
        send({"id": request_id, "error": error.fields()})
    except Exception as error:  # the edge: whatever a library throws becomes an answer
        message = f"{type(error).__name__}: {error}"
        fields = {"kind": "internal", "stage": report.current_stage, "cause": "exception", "message": message}
        send({"id": request_id, "error": {key: value for key, value in fields.items() if value}})
    else:
        send({"id": request_id, "result": result})


def serve(channel: Channel, program: str, version: str, framework: str, methods: dict[str, Method]) -> None:
    """Says hello, then answers requests until standard input ends."""
    channel.send(
        {
            "event": "hello",
            "protocol": PROTOCOL_VERSION,
            "program": program,
            "version": version,
            "framework": framework,
        }
    )
    for line in sys.stdin:
        request_id = None
        try:
            request = json.loads(line)
            request_id = request["id"]
            method = methods[request["method"]]
            params = request.get("params", {})
            if not isinstance(params, dict):
                raise TypeError("params is no object")
        except (ValueError, TypeError, KeyError) as error:
            known = ", ".join(sorted(methods))
            message = (
                f"not a request of protocol {PROTOCOL_VERSION} ({type(error).__name__}: {error}); methods: {known}"
            )
            channel.send({"id": request_id, "error": {"kind": "usage", "message": message}})
            continue
        answer(request_id, method, params, channel.send)
