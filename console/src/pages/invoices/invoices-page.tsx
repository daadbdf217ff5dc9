import { Link, useSearchParams } from 'wouter';
import type { Invoice } from '../../client.js';
import { Choice } from '../../controls/choice.js';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { rights } from '../../rights.js';
import { DecisionTag } from './decision-tag.js';
import { decisions, useInvoices } from './queries.js';
import styles from './invoices.module.css';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.invoices;
/** Value of the filter by decision in the address that shows every invoice. */
const ANY = 'any';

export default function InvoicesPage() {
  return (
    <Page title={texts.title} right={rights.readInvoices}>
      <InvoiceList />
    </Page>
  );
}

function InvoiceList() {
  const [search, setSearch] = useSearchParams();
  const decision = decisions.find((one) => one === search.get('decision'));
  return (
    <>
      <div className={styles['filter']}>
        <Choice
          label={texts.decision}
          value={decision ?? ANY}
          onChange={(chosen) => setSearch({ decision: chosen })}
          options={[
            [ANY, texts.anyDecision],
            ...decisions.map((one) => [one, reviewTexts.invoice.decisions[one]] as const),
          ]}
        />
      </div>
      <DataTable
        title={texts.title}
        hidesTitle
        list={useInvoices(decision)}
        empty={texts.empty}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
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
