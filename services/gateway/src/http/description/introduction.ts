/** Markdown text about all operations for readers of the published API description. */
export const introduction = `\
The Invoice control API checks supplier invoices before they are paid. Every invoice gets a decision (PASS, REVIEW or
BLOCK), a risk score from 0 to 100, and findings that explain the decision.

Guides: [First integration](/docs/guides/first-integration.md) takes twenty minutes.
[Scanning history](/docs/guides/scanning-history.md) explains how to load historical invoices from a CSV file.
[Checking a payment run](/docs/guides/checking-a-payment-run.md) compares a file for the bank with the invoices that it pays.
[Reviewing findings](/docs/guides/reviewing-findings.md) is for people who review findings.
[Uploading documents](/docs/guides/uploading-documents.md) is about invoices as files.
[Connecting an ERP](/docs/guides/connecting-an-erp.md) covers vendors and bills from four ERPs.
[Submitting to KSeF](/docs/guides/submitting-to-ksef.md) covers e-invoices in Poland that a company issues, and
[Receiving from KSeF](/docs/guides/receiving-from-ksef.md) those that a company has to pay. For programs, there are a
[Postman collection](/docs/postman-collection.json) and a [TypeScript client](/docs/client.md). Client generators can
read [this description](/openapi.json), or [the same description without webhooks](/openapi-without-webhooks.json) if they
do not support webhooks.

## Authentication

Send an API key with every request: \`Authorization: Bearer ick_live_...\`. A key belongs to one organization and has a
role (VIEWER, ANALYST, ADMIN or OWNER) and scopes; each operation states the role and scope that it requires. Keys are
created with \`POST /api-keys\` and shown only once. A test key (\`ick_test_...\`, created with \`test: true\`) acts on a test
organization with data and limits of its own, so that you can try an integration in production.

## Requests

Bodies are uncompressed JSON in UTF-8 with \`Content-Type: application/json\`. A request is refused if it has unknown
fields, \`null\` in a field that is merely optional, strings of invisible characters only, NUL characters or unpaired
surrogates. Amounts are decimal strings (\`"1190.00"\`), dates are \`YYYY-MM-DD\`, and times carry an offset. Texts that people
write are stored without surrounding spaces.

## Errors

Every refusal has the body \`{ "error": { code, message, request_id, details } }\`. Clients should branch on the
status and \`code\`; \`message\` is for people and may change. With status 400, \`details\` lists every invalid field, at
most 50. Quote \`request_id\` when you ask for help. You may choose the request id yourself by sending X-Request-Id.

## Idempotency

POST /invoices and POST /scans honour \`Idempotency-Key\`. A repeated request with the same key and the same body returns
the first response, with \`Idempotency-Replayed: true\`. The same key with another body is refused with 409. After a
timeout, a 5xx or a lost connection, retry with the same key.

## Paging

Lists return \`{ "items": [...], "nextCursor": ... }\`, newest first; routing rules are ordered by their position. To get
the next page, send \`nextCursor\` as \`cursor\` to the same list, unchanged and with the same filters, until \`nextCursor\`
is null. \`limit\` is 1 to 100.

## Rate limits

Each key and each organization has limits per minute. \`RateLimit\` and \`RateLimit-Policy\` tell how much of each limit is
left. A request beyond a limit is refused with 429 and \`Retry-After\`. A request beyond the quota of the plan is refused
with 429 and the code USAGE_LIMIT_EXCEEDED; waiting does not help before the next month.
`;
