# Three calls with the client of openapi-python-client.
import json
import os

from invoice_control import AuthenticatedClient
from invoice_control.api.finding_types import list_finding_types
from invoice_control.api.findings import list_findings
from invoice_control.api.invoices import analyze_invoice
from invoice_control.models import Invoice

client = AuthenticatedClient(base_url=os.environ["API"], token=os.environ["KEY"], raise_on_unexpected_status=True)
types = list_finding_types.sync(client=client)
posted = analyze_invoice.sync(client=client, body=Invoice.from_dict(json.loads(os.environ["INVOICE"])))
found = list_findings.sync(client=client, limit=1)
assert len(types.items) > 50 and posted.decision and len(found.items) <= 1
