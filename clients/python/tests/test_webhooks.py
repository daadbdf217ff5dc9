import hashlib
import hmac
import json
import unittest

from invoice_control import WebhookError, verify_webhook

SECRET = "whsec_one"
EVENT = {"id": "evt_" + "a" * 26, "type": "finding.created", "data": {}}
BODY = json.dumps(EVENT).encode()
NOW = 1_790_000_000


def sign(secret: str = SECRET, body: bytes = BODY, sent_at: int = NOW) -> str:
    return hmac.new(secret.encode(), f"{EVENT['id']}.{sent_at}.".encode() + body, hashlib.sha256).hexdigest()


def headers(*signatures: str, sent_at: int = NOW) -> dict[str, str]:
    values = ",".join([f"t={sent_at}", *(f"v1={one}" for one in signatures)])
    return {"Svc-Event-Id": str(EVENT["id"]), "Svc-Signature": values}


class VerifyWebhook(unittest.TestCase):
    def refuses(self, reason, body, given, secrets=SECRET) -> None:
        with self.assertRaises(WebhookError) as caught:
            verify_webhook(body, given, secrets, now=NOW)
        self.assertEqual(caught.exception.reason, reason)
        self.assertNotIn(SECRET, str(caught.exception))

    def test_returns_the_event_of_a_valid_delivery(self) -> None:
        self.assertEqual(verify_webhook(BODY, headers(sign()), SECRET, now=NOW), EVENT)

    def test_accepts_any_of_several_secrets_and_signatures(self) -> None:
        given = headers(sign("whsec_new"), sign("whsec_old"))
        for secrets in (["whsec_old"], ["whsec_new"], ["whsec_other", "whsec_old"]):
            self.assertEqual(verify_webhook(BODY, given, secrets, now=NOW), EVENT)
        self.refuses("SIGNATURE_MISMATCH", BODY, given, ["whsec_other"])

    def test_refuses_a_changed_body_id_or_time(self) -> None:
        self.refuses("SIGNATURE_MISMATCH", BODY + b" ", headers(sign()))
        self.refuses("SIGNATURE_MISMATCH", BODY, {**headers(sign()), "Svc-Event-Id": "evt_other"})
        self.refuses("SIGNATURE_MISMATCH", BODY, headers(sign(), sent_at=NOW - 1))

    def test_refuses_missing_and_malformed_headers(self) -> None:
        self.refuses("HEADER_MISSING", BODY, {})
        for value in ("v1=" + sign(), f"t={NOW}", f"t={NOW},v1=short", f"t=soon,v1={sign()}", "x" * 1_025):
            self.refuses("HEADER_MALFORMED", BODY, {"svc-event-id": "evt_1", "svc-signature": value})

    def test_refuses_every_event_id_that_the_api_does_not_send(self) -> None:
        # Servers decode headers differently: a lone surrogate cannot be encoded again.
        for event_id in ("1", "evt_", "evt_\udc80", "evt_é", f"evt_1.{NOW}", "evt_1\n", "evt_" + "a" * 125):
            given = {"svc-event-id": event_id, "svc-signature": f"t={NOW},v1={sign()}"}
            self.refuses("HEADER_MALFORMED", BODY, given)

    def test_accepts_300_seconds_of_age_and_no_more_either_way(self) -> None:
        for sent_at in (NOW - 300, NOW + 300):
            given = headers(sign(sent_at=sent_at), sent_at=sent_at)
            self.assertEqual(verify_webhook(BODY, given, SECRET, now=NOW), EVENT)
        self.refuses("TOO_OLD", BODY, headers(sign(sent_at=NOW - 301), sent_at=NOW - 301))
        self.refuses("IN_THE_FUTURE", BODY, headers(sign(sent_at=NOW + 301), sent_at=NOW + 301))

    def test_refuses_a_signed_body_that_is_no_event(self) -> None:
        for body in (b"[]", b"not json", b'{"id":"evt_other","type":"scan.completed"}'):
            self.refuses("BODY_NOT_AN_EVENT", body, headers(sign(body=body)))

    def test_refuses_to_check_without_a_secret(self) -> None:
        for secrets in ("", [], ["whsec_one", ""]):
            with self.assertRaises(ValueError):
                verify_webhook(BODY, headers(sign()), secrets, now=NOW)


if __name__ == "__main__":
    unittest.main()
