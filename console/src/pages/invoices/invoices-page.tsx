import { Link, useSearchParams } from 'wouter';
import type { Invoice } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { PageTitle } from '../../controls/page-title.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { DecisionTag } from './decision-tag.js';
import { decisions, useInvoices } from './queries.js';
import styles from './invoices.module.css';

const texts = messages.invoices;
/** Value of the filter by decision in the address that shows every invoice. */
const ANY = 'any';

export default function InvoicesPage() {
  if (!may(useCaller(), rights.readInvoices)) return <Forbidden right={rights.readInvoices} />;
  return <InvoiceList />;
}

function InvoiceList() {
  const [search, setSearch] = useSearchParams();
  const decision = decisions.find((one) => one === search.get('decision'));
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInvoices(decision);
  const invoices = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <label className={styles['filter']}>
        <span className={controls['label']}>{texts.decision}</span>
        <select
          className={controls['input']}
          value={decision ?? ANY}
          onChange={({ target }) => setSearch({ decision: target.value })}
        >
          <option value={ANY}>{texts.anyDecision}</option>
          {decisions.map((one) => (
            <option key={one} value={one}>
              {messages.invoice.decisions[one]}
            </option>
          ))}
        </select>
      </label>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {invoices === undefined && error === null && <Loading />}
      {invoices?.length === 0 && <p>{texts.empty}</p>}
      {invoices !== undefined && invoices.length > 0 && (
        <table className={styles['list']} aria-label={texts.title}>
          <thead>
            <tr>
              {Object.values(texts.columns).map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {invoices.map((invoice) => (
              <InvoiceRow key={invoice.id} stored={invoice} />
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && <Button onPress={() => fetchNextPage()}>{messages.showMore}</Button>}
    </>
  );
}

function InvoiceRow({ stored }: { readonly stored: Invoice }) {
  const { columns } = texts;
  const name = showInvisible(stored.invoice.invoice_number ?? messages.invoice.unread);
  const { supplier, issue_date: issued, gross_amount: gross, currency } = stored.invoice;
  return (
    <tr>
      <th scope="row" data-column={columns.number}>
        <Link to={`/invoices/${stored.id}`} aria-label={name}>
          <bdi>{name}</bdi>
        </Link>
      </th>
      <td data-column={columns.supplier}>
        <ForeignText>{supplier?.name ?? '–'}</ForeignText>
      </td>
      <td data-column={columns.issued}>{issued === undefined ? '–' : formatDay(issued)}</td>
      <td data-column={columns.gross}>
        {gross === undefined || currency === undefined ? '–' : formatMoney(gross, currency)}
      </td>
      <td data-column={columns.decision}>
        {stored.decision === null ? (
          messages.invoice.statuses[stored.status]
        ) : (
          <DecisionTag decision={stored.decision} />
        )}
      </td>
      <td data-column={columns.received}>{formatMoment(stored.createdAt)}</td>
    </tr>
  );
}
