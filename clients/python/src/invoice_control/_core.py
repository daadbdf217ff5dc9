"""What the sync and the async client share: the building of requests, the reading of responses and the retries."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

import httpx

from .errors import ApiError, InvoiceControlError, NetworkError, api_error

VERSION = "0.1.0"
USER_AGENT = f"invoice-control-python/{VERSION}"
TIMEOUT_SECONDS = 150.0
"""Timeout of an attempt. A scan is answered within 130 seconds and everything else within seconds."""
ATTEMPTS_MAX = 4
TOTAL_SECONDS_MAX = 300.0
FIRST_PAUSE_SECONDS = 1.0
PAUSE_SECONDS_MAX = 30.0
TRANSIENT_STATUSES = frozenset({429, 500, 502, 503, 504})

Result = Literal["json", "bytes", "none"]


@dataclass(frozen=True)
class Request:
    """A request of an operation."""

    method: str
    path: str
    result: Result
    path_values: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """A value that is sent as JSON, or bytes that are sent with ``media_type``."""
    media_type: str | None = None
    is_keyed: bool = False
    """True if the operation honours an Idempotency-Key."""
    idempotency_key: str | None = None
    is_file: bool = False

    @property
    def is_repeatable(self) -> bool:
        """True if a repeated request takes effect once."""
        return self.method == "GET" or self.is_keyed or self.is_file


@dataclass(frozen=True)
class Settings:
    """Settings of a client, after they were checked."""

    base_url: str
    api_key: str | None
    timeout: float
    attempts_max: int
    total_seconds_max: float

    @staticmethod
    def read(
        base_url: str, api_key: str | None, timeout: float, attempts_max: int, total_seconds_max: float
    ) -> Settings:
        url = httpx.URL(base_url)
        if url.scheme not in ("http", "https") or url.host == "" or url.userinfo or url.query or url.fragment:
            raise ValueError("base_url must be an http or https address without user name, query and fragment.")
        if api_key is not None and re.fullmatch(r"[\x21-\x7e]+", api_key) is None:
            # The message does not contain the key.
            raise ValueError("api_key is empty or has characters that a key cannot have. Pass only the key itself.")
        if timeout <= 0 or attempts_max < 1 or total_seconds_max < 0:
            raise ValueError("timeout and attempts_max must be more than 0, and total_seconds_max at least 0.")
        return Settings(base_url.rstrip("/"), api_key, timeout, attempts_max, total_seconds_max)

    def build(self, client: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
        """Builds the HTTP request. A repeated attempt has the same Idempotency-Key."""
        # Some lists are also returned as CSV.
        accept = "application/json" if request.result == "json" else "*/*"
        headers = {"user-agent": USER_AGENT, "accept": accept, **request.headers}
        if self.api_key is not None:
            headers["authorization"] = f"Bearer {self.api_key}"
        content: bytes | None = None
        if isinstance(request.body, bytes):
            content = request.body
            headers["content-type"] = request.media_type or "application/octet-stream"
        elif request.body is not None:
            content = json.dumps(request.body, ensure_ascii=False, allow_nan=False).encode()
            headers["content-type"] = "application/json"
        if request.is_keyed:
            headers["idempotency-key"] = request.idempotency_key or str(uuid.uuid4())
        query = {name: _text(value) for name, value in request.query.items() if value is not None}
        url = f"{self.base_url}{_fill(request.path, request.path_values)}"
        return client.build_request(
            request.method, url, params=query or None, headers=headers, content=content, timeout=self.timeout
        )


def _fill(path: str, values: Mapping[str, object]) -> str:
    def value_of(match: re.Match[str]) -> str:
        value = _text(values.get(match.group(1), ""))
        if value in ("", ".", ".."):
            raise ValueError(f"{match.group(1)} is missing or empty.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", value_of, path)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def read_response(request: Request, response: httpx.Response) -> Any:
    """Returns the result of a response. Redirects are not followed, because the key must not go to another address.

    :raises ApiError: for any response but a success of the expected kind
    """
    if response.is_success:
        if request.result == "none" or response.status_code == 204:
            return None
        if request.result == "bytes":
            return response.content
    try:
        body = response.json()
    except ValueError:
        body = None
    if not response.is_success:
        raise api_error(response.status_code, response.headers, body)
    if body is None:
        error = api_error(response.status_code, response.headers, None)
        error.args = ("The response is not JSON. Does base_url lead to the API?",)
        error.message = str(error.args[0])
        raise error
    return body


def network_error(error: httpx.TransportError, settings: Settings) -> NetworkError:
    """Returns the error for a missing response. Its text has no header of the request."""
    if isinstance(error, httpx.TimeoutException):
        return NetworkError(f"{settings.base_url} did not respond within {settings.timeout:g} seconds.")
    return NetworkError(f"{settings.base_url} could not be reached: {type(error).__name__}.")


class Retries:
    """Decides when a request is sent again."""

    def __init__(
        self, settings: Settings, is_repeatable: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._is_repeatable = is_repeatable
        self._clock = clock
        self._started = clock()
        self._attempts = 0
        self._failures = 0

    def delay_after(self, error: InvoiceControlError) -> float:
        """Returns the seconds to wait before the next attempt.

        A request to wait (429, 409 with Retry-After) uses up time, but no attempt.

        :raises InvoiceControlError: the error, if there is no further attempt
        """
        self._attempts += 1
        error.attempts = self._attempts
        asked = error.retry_after if isinstance(error, ApiError) else None
        kind = _kind_of(error)
        if kind == "failure":
            self._failures += 1
        if not self._is_repeatable or kind == "final" or self._failures >= self._settings.attempts_max:
            raise error
        delay = max(asked, FIRST_PAUSE_SECONDS) if asked is not None else self._backoff()
        if self._clock() - self._started + delay > self._settings.total_seconds_max:
            raise error
        return delay

    def _backoff(self) -> float:
        # Up to a quarter is added, so that clients that failed at the same time do not retry at the same time.
        exponent = max(self._failures - 1, 0)
        return min(FIRST_PAUSE_SECONDS * 2.0**exponent, PAUSE_SECONDS_MAX) * (1 + random.random() / 4)


def _kind_of(error: InvoiceControlError) -> Literal["wait", "failure", "final"]:
    if not isinstance(error, ApiError):
        return "failure"
    if error.code == "USAGE_LIMIT_EXCEEDED":
        return "final"
    if error.status in (409, 429) and error.retry_after is not None:
        return "wait"
    return "failure" if error.status in TRANSIENT_STATUSES else "final"
