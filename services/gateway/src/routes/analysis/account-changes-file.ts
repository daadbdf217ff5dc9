import { enumName } from '@invoicecontrol/contracts/enum-name';
import { InvoiceSource } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { AccountChange, Verification } from '@invoicecontrol/contracts/analysis/v1/supplier_service';
import { CSV_TYPE, csvText } from '../../http/response/csv.js';
import { contentOf, escapeHtml, sourceOf } from '../../http/response/html.js';
import type { Reply } from '../../http/response/reply.js';

/** The period of an export of account changes, and its rows. */
export interface AccountChangesExport {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly AccountChange[];
}

type Row = readonly string[];

/**
 * Columns of the export of account changes, in the order of the file. An account has one row for each verification, or
 * one row if it has no verification.
 */
const columns = [
  'supplier_id',
  'supplier',
  'account_id',
  'account',
  'change',
  'trust',
  'first_seen',
  'first_invoice_number',
  'first_invoice_id',
  'company_id',
  'source',
  'received_at',
  'method',
  'contact_source',
  'contact',
  'note',
  'verified_by',
  'verified_at',
  'confirmed_by',
  'confirmed_at',
] as const;

/** Returns the export of account changes as a CSV file (RFC 4180). */
export function csvFile({ from, to, changes }: AccountChangesExport): Reply {
  return {
    status: 200,
    content: contentOf(csvText(columns, rowsOf(changes))),
    headers: {
      'Content-Type': CSV_TYPE,
      'Content-Disposition': `attachment; filename=account-changes-${from}-${to}.csv`,
    },
  };
}

const STYLE =
  'body{font:14px/1.4 system-ui,sans-serif;margin:2rem;color:#1a1a1a}table{border-collapse:collapse}' +
  'th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}';

/** Returns the export of account changes as a page to print. The page has no script and loads no other resource. */
export function htmlPage({ from, to, changes }: AccountChangesExport): Reply {
  const title = `Account changes from ${from} to ${to}`;
  const header = columns.map((column) => `<th scope="col">${column.replaceAll('_', ' ')}</th>`).join('');
  const rows = rowsOf(changes).map((row) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`);
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escapeHtml(title)}</h1>
<table>
<thead><tr>${header}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
  return {
    status: 200,
    content: contentOf(html),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src ${sourceOf(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    },
  };
}

function rowsOf(changes: readonly AccountChange[]): Row[] {
  return changes.flatMap((change) => {
    const { verifications } = change;
    const stated = verifications.length === 0 ? [undefined] : verifications;
    return stated.map((verification) => [...accountCells(change), ...verificationCells(verification)]);
  });
}

function accountCells(change: AccountChange): Row {
  return [
    change.supplierId,
    change.supplierName,
    change.accountId,
    change.maskedAccount,
    change.isAdditional ? 'ADDITIONAL' : 'FIRST',
    change.trust,
    change.firstSeen,
    change.firstInvoiceNumber,
    change.firstInvoiceId ?? '',
    change.companyId ?? '',
    change.source === InvoiceSource.UNSPECIFIED ? '' : enumName(InvoiceSource, change.source),
    timeCell(change.receivedTime),
  ];
}

function verificationCells(verification: Verification | undefined): Row {
  return [
    verification?.method ?? '',
    verification?.contactSource ?? '',
    verification?.contact ?? '',
    verification?.note ?? '',
    verification?.verifiedBy ?? '',
    timeCell(verification?.verifiedTime),
    verification?.confirmedBy ?? '',
    timeCell(verification?.confirmedTime),
  ];
}

function timeCell(time: Date | undefined): string {
  return time?.toISOString() ?? '';
}
