import { createHash } from 'node:crypto';
import type { DocumentReading, FieldPath, InvoiceLine, TaxBreakdownRow } from '../reading.js';

/** Maximum length of a unit of measure. Names and numbers have the same maximum lengths as in the canonical invoice. */
const UNIT_LENGTH_MAX = 100;

const STYLE = `
:root { color-scheme: light; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; font: 15px/1.45 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; border-bottom: 1px solid #bbb; }
p { margin: .25rem 0; color: #555; overflow-wrap: anywhere; }
.note { color: inherit; white-space: pre-line; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 0 2rem; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: .2rem 1rem; margin: 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { border-bottom-color: #888; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.totals { width: auto; margin: 1rem 0 0 auto; }
.totals th { border-bottom-color: #ddd; font-weight: normal; }
.totals .gross * { font-weight: bold; }
.absent { color: #777; font-style: italic; }
@page { margin: 15mm; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
`;
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');

const titles: Readonly<Record<DocumentReading['kind'], string>> = {
  INVOICE: 'Invoice',
  CREDIT_NOTE: 'Credit note',
  CORRECTION: 'Correcting invoice',
};

/**
 * Renders a structured invoice as a page for reading and printing: HTML without scripts, into which only texts are
 * copied from the document. A saved copy keeps the content security policy, which allows only the built-in style sheet.
 */
export function viewOf(reading: DocumentReading): string {
  const { kind, fields, invalidIban, printedParts, taxBreakdown } = reading;
  const value = (path: FieldPath): string | null => fields[path]?.value ?? null;
  const title = `${titles[kind]} ${shown(value('invoice_number'))}`;
  const ukAccount = [value('supplier.bank_account.sort_code'), value('supplier.bank_account.account_number')];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${titles[kind]} ${isolated(value('invoice_number'))}</h1>
<p>${sourceOf(reading)}</p>
<div class="columns">
${section('Supplier', [
  ['Name', required(value('supplier.name'))],
  ['Address', listed(printedParts?.supplierAddress, ', ')],
  ['Tax id', isolated(value('supplier.tax_id'))],
  ['IBAN', isolated(value('supplier.bank_account.iban'))],
  ['IBAN, check digits wrong', isolated(invalidIban)],
  ['Sort code, account', ukAccount.includes(null) ? '' : ukAccount.map(isolated).join(', ')],
])}
${section('Buyer', [
  ['Name', required(value('buyer.name'))],
  ['Address', listed(printedParts?.buyerAddress, ', ')],
  ['Tax id', isolated(value('buyer.tax_id'))],
])}
${section('Dates and references', [
  ['Issue date', required(value('issue_date'))],
  ['Due date', isolated(value('due_date'))],
  ['Payment terms', listed(printedParts?.paymentTerms, '<br>')],
  ['Purchase order', isolated(value('purchase_order_ref'))],
  ['Currency', required(value('currency'))],
])}
</div>
${linesOf(reading.lines)}
${breakdownOf(taxBreakdown ?? [], isolated(value('currency')))}
${totalsOf(reading, value)}
${notesOf(printedParts?.notes ?? [])}
</body>
</html>
`;
}

const ABSENT = '<span class="absent">not stated</span>';

function required(value: string | null): string {
  return isolated(value) || ABSENT;
}

/** Returns a section of the HTML view of an invoice, without the fields that have no value. */
function section(heading: string, rows: readonly (readonly [name: string, html: string])[]): string {
  const stated = rows.filter(([, html]) => html !== '').map(([name, html]) => `<dt>${name}</dt><dd>${html}</dd>`);
  return `<section><h2>${heading}</h2><dl>${stated.join('')}</dl></section>`;
}

function sourceOf({ format, profile }: DocumentReading): string {
  const names = profile === null || profile === format ? format : `${format}, ${profile}`;
  return `Made from the XML of the document (${names}). What is not shown here is in the original.`;
}

function linesOf(lines: readonly InvoiceLine[]): string {
  if (lines.length === 0) return '<h2>Lines</h2>\n<p>The document states no lines.</p>';
  const rows = lines.map(
    ({ description, quantity, unit, unitPrice, netAmount, taxRate }, index) =>
      `<tr><td class="number">${index + 1}</td><td>${isolated(description)}</td>` +
      `<td class="number">${isolated(quantity)}</td><td>${isolated(unit?.slice(0, UNIT_LENGTH_MAX) ?? null)}</td>` +
      `<td class="number">${isolated(unitPrice)}</td><td class="number">${isolated(taxRate)}</td>` +
      `<td class="number">${isolated(netAmount)}</td></tr>`,
  );
  return `<h2>Lines</h2>
<table>
<thead><tr><th class="number">#</th><th>Description</th><th class="number">Quantity</th><th>Unit</th><th class="number">Unit price</th><th class="number">Tax %</th><th class="number">Net</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

function breakdownOf(rows: readonly TaxBreakdownRow[], currency: string): string {
  if (rows.length === 0) return '';
  const amount = (text: string | null): string => (text === null ? '' : `${isolated(text)} ${currency}`);
  const cells = rows.map(
    ({ category, rate, base, tax, reason }) =>
      `<tr><td>${isolated(category)}</td><td class="number">${isolated(rate)}</td><td class="number">${amount(base)}</td>` +
      `<td class="number">${amount(tax)}</td><td>${isolated(reason)}</td></tr>`,
  );
  return `<h2>VAT breakdown</h2>
<table>
<thead><tr><th>Category</th><th class="number">Rate %</th><th class="number">Base</th><th class="number">Tax</th><th>Reason</th></tr></thead>
<tbody>
${cells.join('\n')}
</tbody>
</table>`;
}

function notesOf(notes: readonly string[]): string {
  if (notes.length === 0) return '';
  return `<h2>Notes</h2>\n${notes.map((note) => `<p class="note">${isolated(note)}</p>`).join('\n')}`;
}

function totalsOf({ payableAmount }: DocumentReading, value: (path: FieldPath) => string | null): string {
  const currency = isolated(value('currency'));
  const row = (name: string, amount: string | null, style = ''): string =>
    amount === null
      ? ''
      : `<tr${style}><th scope="row">${name}</th><td class="number">${isolated(amount)} ${currency}</td></tr>`;
  const gross = value('gross_amount');
  const rows = [
    row('Net', value('net_amount')),
    row('Tax', value('tax_amount')),
    gross === null
      ? `<tr class="gross"><th scope="row">Gross</th><td>${ABSENT}</td></tr>`
      : row('Gross', gross, ' class="gross"'),
    row('Payable', payableAmount),
  ];
  return `<h2>Totals</h2>\n<table class="totals"><tbody>${rows.join('')}</tbody></table>`;
}

function listed(texts: readonly string[] = [], separator: string): string {
  return texts.map(isolated).join(separator);
}

/**
 * Isolates the writing direction of a text from the document, so that a text from right to left does not reverse the
 * text around it. Returns an empty string for null.
 */
function isolated(text: string | null): string {
  return text === null ? '' : `<bdi>${shown(text)}</bdi>`;
}

/**
 * Control characters, and format characters except joiners and soft hyphens. In a shown invoice they can hide or
 * reverse letters.
 */
const STEERING = /(?![\t\n\r\u00ad\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** Escapes a text of the document for HTML. Characters that control the display are shown by their code points. */
function shown(text: string | null): string {
  return (text ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(STEERING, (character) => {
      const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      return `[U+${number}]`;
    });
}
