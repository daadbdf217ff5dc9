import asyncio
import json
import unittest

import httpx

from invoice_control import ApiError, AsyncInvoiceControl, InvoiceControl, NetworkError

KEY = "ick_test_secret"
INVOICE = {
    "supplier": {"name": "Mill Lane Couriers Ltd"},
    "invoice_number": "ML-1",
    "issue_date": "2026-11-03",
    "currency": "GBP",
    "gross_amount": "310.00",
}
DONE = {"id": "1", "status": "ANALYZING", "decision": "PASS", "risk_score": 0, "findings": []}


def refusal(status: int, code: str, retry_after: int | None = None) -> httpx.Response:
    body = {"error": {"code": code, "message": "Refused.", "request_id": "req_1"}}
    return httpx.Response(status, json=body, headers={} if retry_after is None else {"retry-after": str(retry_after)})


class Api:
    """Answers requests in turn, and records them and the pauses between them."""

    def __init__(self, is_async: bool, answers, options) -> None:
        self.is_async = is_async
        self.answers = list(answers)
        self.options = options
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        # A response can be sent once only.
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def call(self, call):
        return asyncio.run(self.call_async(call)) if self.is_async else self.call_sync(call)

    def call_sync(self, call):
        http = httpx.Client(transport=httpx.MockTransport(self.respond))
        with InvoiceControl("http://api.test/v1/", KEY, http=http, **self.options) as client:
            client._sleep = self.pauses.append
            result = call(client)
            return list(result) if hasattr(result, "__next__") else result

    async def call_async(self, call):
        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)

        http = httpx.AsyncClient(transport=httpx.MockTransport(self.respond))
        async with AsyncInvoiceControl("http://api.test/v1/", KEY, http=http, **self.options) as client:
            client._sleep = pause
            result = call(client)
            return [item async for item in result] if hasattr(result, "__anext__") else await result


def both(*answers, **options) -> list[Api]:
    """Returns an API for the sync client and one for the async client, with the same answers."""
    return [Api(is_async, answers, options) for is_async in (False, True)]


class BothClients(unittest.TestCase):
    def test_send_the_key_the_user_agent_and_json(self) -> None:
        for api in both(httpx.Response(202, json=DONE)):
            self.assertEqual(api.call(lambda client: client.analyze_invoice(INVOICE, idempotency_key="k-1")), DONE)
            [request] = api.requests
            self.assertEqual(str(request.url), "http://api.test/v1/invoices")
            self.assertEqual(request.headers["authorization"], f"Bearer {KEY}")
            self.assertRegex(request.headers["user-agent"], r"^invoice-control-python/\d")
            self.assertEqual(request.headers["idempotency-key"], "k-1")
            self.assertEqual(request.headers["accept"], "application/json")
            self.assertEqual(json.loads(request.content), INVOICE)

    def test_repeat_a_post_with_the_same_idempotency_key_after_growing_pauses(self) -> None:
        down = httpx.ConnectError("refused")
        for api in both(down, refusal(503, "PROCESSING_FAILED"), httpx.Response(202, json=DONE)):
            self.assertEqual(api.call(lambda client: client.analyze_invoice(INVOICE)), DONE)
            self.assertEqual(len({request.headers["idempotency-key"] for request in api.requests}), 1)
            self.assertTrue(1 <= api.pauses[0] <= 1.25 and 2 <= api.pauses[1] <= 2.5)

    def test_make_4_attempts_and_no_more(self) -> None:
        for api in both(*[refusal(500, "PROCESSING_FAILED")] * 5):
            with self.assertRaises(ApiError) as caught:
                api.call(lambda client: client.get_organization())
            self.assertEqual((len(api.requests), caught.exception.attempts), (4, 4))

    def test_wait_as_retry_after_says_without_using_up_attempts(self) -> None:
        limited = refusal(429, "RATE_LIMITED", retry_after=7)
        for api in both(*[limited] * 6, httpx.Response(200, json={"id": "1"})):
            self.assertEqual(api.call(lambda client: client.get_organization()), {"id": "1"})
            self.assertEqual(api.pauses, [7.0] * 6)

    def test_begin_no_attempt_after_the_total_time(self) -> None:
        for api in both(refusal(429, "RATE_LIMITED", retry_after=301)):
            with self.assertRaises(ApiError):
                api.call(lambda client: client.get_organization())
            self.assertEqual(api.pauses, [])

    def test_never_repeat_what_could_take_effect_twice_or_cannot_succeed(self) -> None:
        for status, code, operation in (
            (503, "PROCESSING_FAILED", lambda client: client.create_company({"name": "Acme"})),
            (429, "USAGE_LIMIT_EXCEEDED", lambda client: client.analyze_invoice(INVOICE)),
            (404, "NOT_FOUND", lambda client: client.get_invoice("x")),
        ):
            for api in both(refusal(status, code)):
                with self.assertRaises(ApiError) as caught:
                    api.call(operation)
                error = caught.exception
                self.assertEqual((error.status, error.code, error.request_id), (status, code, "req_1"))
                self.assertEqual(len(api.requests), 1)

    def test_raise_errors_without_the_key(self) -> None:
        for api in both(*[httpx.ReadTimeout(f"with {KEY}")] * 4, timeout=2):
            with self.assertRaises(NetworkError) as caught:
                api.call(lambda client: client.get_organization())
            self.assertIn("2 seconds", str(caught.exception))
            self.assertNotIn(KEY, repr(caught.exception))

    def test_follow_no_redirect_and_take_no_page_for_an_answer(self) -> None:
        redirect = httpx.Response(302, headers={"location": "http://other.test"})
        for answer in (httpx.Response(200, text="<html>"), redirect):
            for api in both(answer):
                with self.assertRaises(ApiError) as caught:
                    api.call(lambda client: client.get_organization())
                self.assertIsNone(caught.exception.code)
                self.assertEqual(len(api.requests), 1)

    def test_name_the_invalid_fields(self) -> None:
        details = [{"path": "currency", "message": "Must be a currency."}]
        body = {"error": {"code": "INVALID_REQUEST", "message": "x", "request_id": "r", "details": details}}
        for api in both(httpx.Response(400, json=body)):
            with self.assertRaises(ApiError) as caught:
                api.call(lambda client: client.analyze_invoice(INVOICE))
            self.assertEqual(caught.exception.details, details)

    def test_read_every_page_of_a_list(self) -> None:
        def page(items: list[str], cursor: str | None) -> httpx.Response:
            return httpx.Response(200, json={"items": items, "nextCursor": cursor})

        for api in both(page(["a", "b"], "next"), page([], "last"), page(["c"], None)):
            items = api.call(lambda client: client.iter_findings(limit=2, severity="HIGH"))
            self.assertEqual(items, ["a", "b", "c"])
            own = {"limit": "2", "severity": "HIGH"}
            queries = [dict(request.url.params) for request in api.requests]
            self.assertEqual(queries, [own, {**own, "cursor": "next"}, {**own, "cursor": "last"}])

    def test_end_a_list_that_repeats_its_page(self) -> None:
        for api in both(*[httpx.Response(200, json={"items": [], "nextCursor": "same"})] * 2):
            with self.assertRaises(NetworkError):
                api.call(lambda client: client.iter_invoices())

    def test_upload_a_document_and_wait_for_its_decision(self) -> None:
        answers = (
            httpx.Response(201, json={"upload_id": "u1"}),
            httpx.ReadError("the response is lost"),
            refusal(409, "CONFLICT"),
            httpx.Response(202, json={"upload_id": "u1", "status": "QUEUED"}),
            httpx.Response(200, json={"status": "PROCESSING"}),
            httpx.Response(200, json={"status": "COMPLETED"}),
            httpx.Response(200, json=DONE),
        )
        for api in both(*answers):
            result = api.call(
                lambda client: client.upload_invoice(b"%PDF", "application/pdf", purchase_order_ref="PO-1")
            )
            self.assertEqual(result, DONE)
            put = api.requests[1]
            self.assertEqual((put.method, put.headers["content-type"], put.content), ("PUT", "application/pdf", b"%PDF"))
            self.assertEqual(api.requests[3].headers["prefer"], "respond-async, wait=20")
            self.assertEqual(json.loads(api.requests[6].content), {"upload_id": "u1", "purchase_order_ref": "PO-1"})
            self.assertEqual(api.pauses[1:], [0.5, 1.0])

    def test_do_not_take_a_refused_upload_for_a_stored_one(self) -> None:
        for api in both(httpx.Response(201, json={"upload_id": "u1"}), refusal(409, "CONFLICT")):
            with self.assertRaises(ApiError):
                api.call(lambda client: client.upload_invoice(b"%PDF", "application/pdf"))

    def test_give_up_on_a_document_that_is_not_decided_in_time(self) -> None:
        queued = httpx.Response(202, json={"upload_id": "u1", "status": "QUEUED"})
        pending = httpx.Response(200, json={"status": "PROCESSING"})
        for api in both(httpx.Response(201, json={"upload_id": "u1"}), httpx.Response(204), queued, pending, pending):
            with self.assertRaises(NetworkError) as caught:
                api.call(lambda client: client.upload_invoice(b"%PDF", "application/pdf", total_seconds_max=1))
            self.assertIn("u1", str(caught.exception))

    def test_quote_path_values_and_refuse_those_that_lead_elsewhere(self) -> None:
        for api in both(httpx.Response(200, json={})):
            api.call(lambda client: client.get_invoice("a/b?c"))
            self.assertEqual(api.requests[0].url.raw_path, b"/v1/invoices/a%2Fb%3Fc")
            for value in ("", "..", "."):
                with self.assertRaises(ValueError):
                    api.call(lambda client, value=value: client.get_invoice(value))

    def test_refuse_settings_that_cannot_work(self) -> None:
        wrong = (("ftp://x", KEY), ("http://a:b@x", KEY), ("http://x?y=1", KEY), ("http://x", "a b"), ("http://x", ""))
        for url, key in wrong:
            for kind in (InvoiceControl, AsyncInvoiceControl):
                with self.assertRaises(ValueError) as caught:
                    kind(url, key)
                self.assertNotIn(KEY, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
