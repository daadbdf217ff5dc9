# Three calls with the Python client of openapi-generator.
import json
import os

import openapi_client as generated

settings = generated.Configuration(host=os.environ["API"], access_token=os.environ["KEY"])
with generated.ApiClient(settings) as client:
    types = generated.FindingTypesApi(client).list_finding_types()
    invoice = generated.Invoice.from_dict(json.loads(os.environ["INVOICE"]))
    posted = generated.InvoicesApi(client).analyze_invoice(invoice)
    found = generated.FindingsApi(client).list_findings(limit=1)
assert len(types.items) > 50 and posted.decision and len(found.items) <= 1
