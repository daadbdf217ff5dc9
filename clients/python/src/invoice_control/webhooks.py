"""Checks that a request is a webhook delivery of the API (specification, section 6)."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import WebhookError
from .models import WebhookEvent

TOLERANCE_SECONDS = 300
HEADER_CHARACTERS_MAX = 1_024
EVENT_ID_CHARACTERS_MAX = 128
_EVENT_ID = re.compile(r"evt_[A-Za-z0-9_-]+")
_TIME = re.compile(r"t=([0-9]{1,12})")
_SIGNATURE = re.compile(r"v1=([0-9a-f]{64})")


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a delivery whose signature and time are valid.

    :param body: the raw body, exactly as it was received; a parsed and serialized one has another signature
    :param headers: the headers of the request, in any case
    :param secrets: the signing secret, or several while a rotated secret is still in use
    :param now: the current time in seconds since 1970, for tests
    :raises WebhookError: for every request that is not a valid delivery
    :raises ValueError: without a secret, or with an empty one
    """
    known = [secrets] if isinstance(secrets, str) else list(secrets)
    if not known or not all(known):
        raise ValueError("secrets has no secret, or an empty one. Pass the signing secret of the webhook.")
    if not tolerance_seconds > 0:
        raise ValueError("tolerance_seconds must be more than 0.")
    given = {name.lower(): value for name, value in headers.items()}
    event_id = given.get("svc-event-id", "")
    header = given.get("svc-signature", "")
    if event_id == "" or header == "":
        raise WebhookError("HEADER_MISSING", "The header svc-event-id or svc-signature is missing.")
    sent_at, signatures = _read_signature(header)
    is_event_id = len(event_id) <= EVENT_ID_CHARACTERS_MAX and _EVENT_ID.fullmatch(event_id) is not None
    if sent_at is None or not signatures or not is_event_id:
        raise WebhookError("HEADER_MALFORMED", "The header svc-event-id or svc-signature has an invalid format.")
    signed = f"{event_id}.{sent_at}.".encode() + body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in known]
    # Every signature is compared with every expected one in constant time, so the duration reveals nothing about them.
    matches = [hmac.compare_digest(one, wanted) for one in signatures for wanted in expected]
    if not any(matches):
        raise WebhookError("SIGNATURE_MISMATCH", "No signature of the request matches a secret.")
    age = (time.time() if now is None else now) - int(sent_at)
    if age > tolerance_seconds:
        raise WebhookError("TOO_OLD", "The signature is too old.")
    if -age > tolerance_seconds:
        raise WebhookError("IN_THE_FUTURE", "The time of the signature is in the future. Check the clock.")
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict) or event.get("id") != event_id or not isinstance(event.get("type"), str):
        raise WebhookError("BODY_NOT_AN_EVENT", "The body is not the event that svc-event-id names.")
    return cast(WebhookEvent, event)


def _read_signature(header: str) -> tuple[str | None, list[str]]:
    if len(header) > HEADER_CHARACTERS_MAX:
        return None, []
    first, *others = header.split(",")
    sent_at = _TIME.fullmatch(first)
    signatures = [match.group(1) for part in others if (match := _SIGNATURE.fullmatch(part)) is not None]
    return (sent_at.group(1) if sent_at is not None else None, signatures)
