"""The Python client of the invoice control API."""

from .client import AsyncInvoiceControl, InvoiceControl
from .errors import ApiError, InvoiceControlError, NetworkError, WebhookError
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncInvoiceControl",
    "InvoiceControl",
    "InvoiceControlError",
    "NetworkError",
    "WebhookError",
    "verify_webhook",
]
