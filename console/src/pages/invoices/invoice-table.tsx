import { Link } from 'wouter';
import type { Invoice } from '../../client.js';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { reviewTexts } from '../../findings/texts.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { DecisionTag } from './decision-tag.js';
import { useInvoices } from './queries.js';
import type { InvoiceFilters } from './queries.js';

const texts = reviewTexts.invoices;

/** The invoices that match the filters, newest first. */
export function InvoiceTable({
  filters,
  hidesTitle = false,
}: {
  readonly filters: InvoiceFilters;
  readonly hidesTitle?: boolean;
}) {
  return (
    <DataTable
      title={texts.title}
      hidesTitle={hidesTitle}
      list={useInvoices(filters)}
      empty={texts.empty}
      columns={columns}
      keyOf={({ id }) => id}
    />
  );
}

const columns: readonly Column<Invoice>[] = [
  [
    texts.columns.number,
    ({ id, invoice }) => {
      const name = showInvisible(invoice.invoice_number ?? reviewTexts.invoice.unread);
      return (
        <Link to={`/invoices/${id}`} aria-label={name}>
          <bdi>{name}</bdi>
        </Link>
      );
    },
  ],
  [texts.columns.supplier, ({ invoice: { supplier } }) => <ForeignText>{supplier?.name ?? '–'}</ForeignText>],
  [texts.columns.issued, ({ invoice: { issue_date: issued } }) => (issued === undefined ? '–' : formatDay(issued))],
  [
    texts.columns.gross,
    ({ invoice: { gross_amount: gross, currency } }) =>
      gross === undefined || currency === undefined ? '–' : formatMoney(gross, currency),
  ],
  [
    texts.columns.decision,
    ({ decision, status }) =>
      decision === null ? reviewTexts.invoice.statuses[status] : <DecisionTag decision={decision} />,
  ],
  [texts.columns.received, ({ createdAt }) => formatMoment(createdAt)],
];
