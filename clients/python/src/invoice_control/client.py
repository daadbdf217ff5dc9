"""The clients of the API: ``InvoiceControl`` and ``AsyncInvoiceControl``."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, cast

import httpx

from ._core import (
    ATTEMPTS_MAX,
    TIMEOUT_SECONDS,
    TOTAL_SECONDS_MAX,
    Request,
    Retries,
    Settings,
    network_error,
    read_response,
)
from ._operations import AsyncOperations, Operations
from .errors import ApiError, InvoiceControlError, NetworkError
from .models import AcceptedAnalysis, UploadAnalysisRequest, UploadReservation

WAIT_SECONDS = 20
"""Seconds after which the API may respond that the analysis continues."""
FIRST_POLL_SECONDS = 0.5
POLL_SECONDS_MAX = 5.0
UPLOAD_SECONDS_MAX = 300.0


class InvoiceControl(Operations):
    """The sync client. It is safe to share between threads, and ends its connections with ``close`` or ``with``.

    :param base_url: the address of the API with its version, such as ``https://api.example.com/v1``
    :param timeout: seconds that an attempt may take
    :param attempts_max: attempts that may fail because of the network or the service
    :param total_seconds_max: seconds after the first attempt at which another one may begin
    :param http: your own ``httpx.Client``, for proxies or certificates; it is not closed
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        attempts_max: int = ATTEMPTS_MAX,
        total_seconds_max: float = TOTAL_SECONDS_MAX,
        http: httpx.Client | None = None,
    ) -> None:
        self._settings = Settings.read(base_url, api_key, timeout, attempts_max, total_seconds_max)
        self._http = httpx.Client() if http is None else http
        self._is_owner = http is None
        self._sleep = time.sleep

    def __enter__(self) -> InvoiceControl:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless they belong to an ``httpx.Client`` of yours."""
        if self._is_owner:
            self._http.close()

    def upload_invoice(
        self,
        content: bytes,
        media_type: str,
        *,
        company_id: str | None = None,
        purchase_order_ref: str | None = None,
        total_seconds_max: float = UPLOAD_SECONDS_MAX,
    ) -> AcceptedAnalysis:
        """Uploads a document (PDF, image or XML) and waits for its decision.

        :raises ApiError: with status 422 if the document cannot be read
        :raises NetworkError: if the document is not decided in time; its analysis continues
        """
        reservation: UploadReservation = {"mediaType": cast(Any, media_type), "byteSize": len(content)}
        upload_id = self.reserve_upload(reservation)["upload_id"]
        try:
            self.receive_upload(upload_id, content, media_type)
        except ApiError as error:
            _accept_stored(error)
        request = _analysis_of(upload_id, company_id, purchase_order_ref)
        answer = self.analyze_upload(request, prefer=f"respond-async, wait={WAIT_SECONDS}")
        waited, delay = 0.0, FIRST_POLL_SECONDS
        while "decision" not in answer:
            if waited >= total_seconds_max:
                raise _undecided(upload_id, total_seconds_max)
            self._sleep(delay)
            waited, delay = waited + delay, min(delay * 2, POLL_SECONDS_MAX)
            if self.get_upload_status(upload_id)["status"] in ("COMPLETED", "FAILED"):
                answer = self.analyze_upload(request)
        return cast(AcceptedAnalysis, answer)

    def _call(self, request: Request) -> Any:
        built = self._settings.build(self._http, request)
        retries = Retries(self._settings, request.is_repeatable)
        while True:
            try:
                return self._send(request, built)
            except InvoiceControlError as error:
                self._sleep(retries.delay_after(error))

    def _send(self, request: Request, built: httpx.Request) -> Any:
        try:
            response = self._http.send(built, follow_redirects=False)
        except httpx.TransportError as error:
            raise network_error(error, self._settings) from None
        return read_response(request, response)

    def _items(self, request: Request) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self._call(_page_of(request, cursor))
            yield from page["items"]
            cursor = _next_cursor(page, cursor)
            if cursor is None:
                return


class AsyncInvoiceControl(AsyncOperations):
    """The async client. Its parameters and methods are those of :class:`InvoiceControl`."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        attempts_max: int = ATTEMPTS_MAX,
        total_seconds_max: float = TOTAL_SECONDS_MAX,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._settings = Settings.read(base_url, api_key, timeout, attempts_max, total_seconds_max)
        self._http = httpx.AsyncClient() if http is None else http
        self._is_owner = http is None
        self._sleep = asyncio.sleep

    async def __aenter__(self) -> AsyncInvoiceControl:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections, unless they belong to an ``httpx.AsyncClient`` of yours."""
        if self._is_owner:
            await self._http.aclose()

    async def upload_invoice(
        self,
        content: bytes,
        media_type: str,
        *,
        company_id: str | None = None,
        purchase_order_ref: str | None = None,
        total_seconds_max: float = UPLOAD_SECONDS_MAX,
    ) -> AcceptedAnalysis:
        """Uploads a document and waits for its decision, like the method of :class:`InvoiceControl`."""
        reservation: UploadReservation = {"mediaType": cast(Any, media_type), "byteSize": len(content)}
        upload_id = (await self.reserve_upload(reservation))["upload_id"]
        try:
            await self.receive_upload(upload_id, content, media_type)
        except ApiError as error:
            _accept_stored(error)
        request = _analysis_of(upload_id, company_id, purchase_order_ref)
        answer = await self.analyze_upload(request, prefer=f"respond-async, wait={WAIT_SECONDS}")
        waited, delay = 0.0, FIRST_POLL_SECONDS
        while "decision" not in answer:
            if waited >= total_seconds_max:
                raise _undecided(upload_id, total_seconds_max)
            await self._sleep(delay)
            waited, delay = waited + delay, min(delay * 2, POLL_SECONDS_MAX)
            if (await self.get_upload_status(upload_id))["status"] in ("COMPLETED", "FAILED"):
                answer = await self.analyze_upload(request)
        return cast(AcceptedAnalysis, answer)

    async def _call(self, request: Request) -> Any:
        built = self._settings.build(self._http, request)
        retries = Retries(self._settings, request.is_repeatable)
        while True:
            try:
                return await self._send(request, built)
            except InvoiceControlError as error:
                await self._sleep(retries.delay_after(error))

    async def _send(self, request: Request, built: httpx.Request) -> Any:
        try:
            response = await self._http.send(built, follow_redirects=False)
        except httpx.TransportError as error:
            raise network_error(error, self._settings) from None
        return read_response(request, response)

    async def _items(self, request: Request) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            page = await self._call(_page_of(request, cursor))
            for item in page["items"]:
                yield item
            cursor = _next_cursor(page, cursor)
            if cursor is None:
                return


def _analysis_of(
    upload_id: str, company_id: str | None, purchase_order_ref: str | None
) -> UploadAnalysisRequest:
    request: UploadAnalysisRequest = {"upload_id": upload_id}
    if company_id is not None:
        request["company_id"] = company_id
    if purchase_order_ref is not None:
        request["purchase_order_ref"] = purchase_order_ref
    return request


def _accept_stored(error: ApiError) -> None:
    """Raises the error, unless the response to an earlier attempt was lost and the bytes are stored."""
    if not (error.status == 409 and error.attempts > 1):
        raise error


def _undecided(upload_id: str, seconds: float) -> NetworkError:
    return NetworkError(
        f"The document of upload {upload_id} is not decided after {seconds:g} seconds. Its analysis continues."
    )


def _page_of(request: Request, cursor: str | None) -> Request:
    if cursor is None:
        return request
    return replace(request, query={**request.query, "cursor": cursor})


def _next_cursor(page: Any, cursor: str | None) -> str | None:
    following = page.get("nextCursor")
    if following is not None and following == cursor:
        raise NetworkError("The API returned the same page again.")
    return cast("str | None", following)
