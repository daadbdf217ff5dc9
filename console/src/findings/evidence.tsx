import { Link } from 'wouter';
import type { Finding } from '../client.js';
import { ForeignText } from '../controls/foreign-text.js';
import { formatDay } from '../format/moment.js';
import { formatMoney } from '../format/money.js';
import { may, rights } from '../rights.js';
import { useCaller } from '../session.js';
import styles from './evidence.module.css';
import { reviewTexts } from './texts.js';

const texts = reviewTexts.finding;
type Comparison = NonNullable<NonNullable<Finding['evidence']>['comparisons']>[number];

/** The sentences of the evidence, and the compared invoices field by field. */
export function Evidence({ finding: { evidence } }: { readonly finding: Finding }) {
  if (evidence === undefined) return null;
  const { explanation, matched = [], comparisons = [] } = evidence;
  return (
    <>
      <ul>
        {explanation.map((sentence) => (
          <li key={sentence}>
            <ForeignText>{sentence}</ForeignText>
          </li>
        ))}
      </ul>
      {matched.map((other) => (
        <Compared
          key={other.invoiceId}
          invoiceId={other.invoiceId}
          title={texts.compared(other.invoiceNumber, other.supplierName, formatDay(other.issueDate))}
          rows={comparisons.filter((row) => row.with === other.invoiceId)}
        />
      ))}
    </>
  );
}

/**
 * The colour of a row of compared invoice fields follows its points: values may differ and still be the same, as two
 * spellings of a number.
 */
function Compared({
  invoiceId,
  title,
  rows,
}: {
  readonly invoiceId: string;
  readonly title: string;
  readonly rows: readonly Comparison[];
}) {
  const { columns } = texts;
  const mayRead = may(useCaller(), rights.readInvoices);
  if (rows.length === 0) return null;
  const name = <ForeignText>{title}</ForeignText>;
  return (
    <table className={styles['compared']}>
      <caption>{mayRead ? <Link to={`/invoices/${invoiceId}`}>{name}</Link> : name}</caption>
      <thead>
        <tr>
          {Object.values(columns).map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            key={`${row.field} ${index}`}
            data-speaks={row.points > 0 ? 'for' : row.points < 0 ? 'against' : undefined}
          >
            <th scope="row">{texts.fields[row.field] ?? row.field}</th>
            <td data-column={columns.left}>{valueOf(row.left, row.leftCurrency)}</td>
            <td data-column={columns.right}>{valueOf(row.right, row.rightCurrency)}</td>
            <td data-column={columns.points}>{row.points > 0 ? `+${row.points}` : row.points}</td>
            <td data-column={columns.why}>
              <ForeignText>{row.note}</ForeignText>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valueOf(value: string | null, currency: string | undefined) {
  if (value === null) return '–';
  return currency === undefined ? <ForeignText>{value}</ForeignText> : formatMoney(value, currency);
}
