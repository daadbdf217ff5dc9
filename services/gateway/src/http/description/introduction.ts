/** What a reader of the published description has to know about all operations, in Markdown. */
export const introduction = `\
Checks supplier invoices before they are paid: every invoice gets a decision, PASS, REVIEW or BLOCK, a risk score from
0 to 100, and findings that say why.

Guides: [First integration](/docs/guides/first-integration.md) takes twenty minutes,
[Scanning history](/docs/guides/scanning-history.md) loads old invoices from a CSV file,
[Reviewing findings](/docs/guides/reviewing-findings.md) is for the people who decide,
[Uploading documents](/docs/guides/uploading-documents.md) for invoices as files,
[Connecting an ERP](/docs/guides/connecting-an-erp.md) for vendors and bills of four ERPs,
[Submitting to KSeF](/docs/guides/submitting-to-ksef.md) for e-invoices of Poland. For programs: a
[Postman collection](/docs/postman-collection.json) and a [TypeScript client](/docs/client.md).

## Authentication

Send an API key with every request: \`Authorization: Bearer ick_live_...\`. A key belongs to one organization and has a
role (VIEWER, ANALYST, ADMIN, OWNER) and scopes; each operation states what it needs. Keys are created with
\`POST /api-keys\` and shown once.

## Requests

Bodies are JSON in UTF-8, \`Content-Type: application/json\`, not compressed. Unknown fields are refused, and so are
\`null\` where a field is merely optional, texts of invisible characters only, NUL characters and half surrogate pairs.
Amounts are decimal strings (\`"1190.00"\`), dates are \`YYYY-MM-DD\`, instants carry an offset. Fields that people write
are stored without surrounding blanks.

## Errors

Every refusal has the body \`{ "error": { code, message, request_id, details } }\`. Decide by status and \`code\`;
\`message\` is for people and may change. With status 400, \`details\` lists every wrong field, 50 at most. Quote \`request_id\` when
you ask for help; you may choose it by sending X-Request-Id.

## Idempotency

POST /invoices and POST /scans honour \`Idempotency-Key\`. A repeat with the same key and the same body gives the first
answer, with \`Idempotency-Replayed: true\`; the same key with another body is 409. Retry after a timeout, a 5xx or a
lost connection with the same key.

## Paging

Lists answer \`{ "items": [...], "nextCursor": ... }\`, newest first, routing rules by their position. Send \`nextCursor\` back
as \`cursor\` to the same list, unchanged and with the same filters, until it is null. \`limit\` is 1 to 100.

## Rate limits

Each key and each organization has limits per minute. \`RateLimit\` and \`RateLimit-Policy\` tell what is left. Beyond a
limit the answer is 429 with \`Retry-After\`. A quota of the plan that is used up is 429 with the code
USAGE_LIMIT_EXCEEDED, and waiting does not help before the next month.
`;
