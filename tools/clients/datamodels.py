# Three calls whose bodies and responses the models of datamodel-code-generator check.
import json
import os

import httpx
import models

headers = {"authorization": f"Bearer {os.environ['KEY']}"}
with httpx.Client(base_url=os.environ["API"], headers=headers) as client:
    types = client.get("/finding-types").raise_for_status().json()["items"]
    invoice = models.Invoice.model_validate_json(os.environ["INVOICE"]).model_dump(mode="json", exclude_none=True)
    posted = client.post("/invoices", json=invoice).raise_for_status().json()
    found = client.get("/findings", params={"limit": 1}).raise_for_status().json()["items"]
assert len([models.FindingType.model_validate(one) for one in types]) > 50
assert models.AcceptedAnalysis.model_validate(posted).decision
assert len([models.Finding.model_validate(one) for one in found]) <= 1
