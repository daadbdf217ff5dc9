"""Errors that calls of the API raise. No error contains the API key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

WebhookFault = Literal[
    "HEADER_MISSING", "HEADER_MALFORMED", "SIGNATURE_MISMATCH", "TOO_OLD", "IN_THE_FUTURE", "BODY_NOT_AN_EVENT"
]


class InvoiceControlError(Exception):
    """Base class of every error of a call."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.attempts = 1
        """Number of attempts that were made."""


class NetworkError(InvoiceControlError):
    """The API did not respond: the connection was refused or broken, or the timeout has passed."""


class ApiError(InvoiceControlError):
    """The API, or a proxy before it, refused the request."""

    def __init__(
        self,
        *,
        status: int,
        code: str | None,
        message: str,
        request_id: str | None,
        details: list[dict[str, str]],
        retry_after: float | None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        """Code of the envelope, such as ``NOT_FOUND``. None if the response did not come from the API."""
        self.message = message
        self.request_id = request_id
        self.details = details
        """Invalid fields of the request, each with ``path`` and ``message``."""
        self.retry_after = retry_after
        """Seconds to wait, as the response states them."""

    def __str__(self) -> str:
        code = f"{self.status}" if self.code is None else f"{self.status} {self.code}"
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{code}: {self.message}{request}"


class WebhookError(Exception):
    """A request is not a webhook delivery of the API. Answer it with status 400."""

    def __init__(self, reason: WebhookFault, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def api_error(status: int, headers: Mapping[str, str], body: Any) -> ApiError:
    """Returns the error of a response, whose body may be anything."""
    envelope = body.get("error") if isinstance(body, dict) else None
    if not isinstance(envelope, dict):
        envelope = {}
    code = envelope.get("code")
    message = envelope.get("message")
    details = envelope.get("details")
    request_id = envelope.get("request_id") or headers.get("x-request-id")
    return ApiError(
        status=status,
        code=code if isinstance(code, str) else None,
        message=message if isinstance(message, str) else f"The response has the status {status} and no error message.",
        request_id=request_id if isinstance(request_id, str) else None,
        details=[one for one in details if isinstance(one, dict)] if isinstance(details, list) else [],
        retry_after=_seconds(headers.get("retry-after")),
    )


def _seconds(value: str | None) -> float | None:
    return float(value) if value is not None and value.isascii() and value.isdigit() else None
