import { Link } from 'wouter';
import type { PaymentRun } from '../../client.js';
import { Button } from '../../controls/button.js';
import { ErrorState } from '../../controls/error-state.js';
import { Loading } from '../../controls/loading.js';
import { PageTitle } from '../../controls/page-title.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { DropFile } from './drop-file.js';
import { useRuns } from './queries.js';
import { Sums } from './sums.js';
import styles from './payment-runs.module.css';

const texts = messages.runs;

export default function PaymentRunsPage() {
  const caller = useCaller();
  if (!may(caller, rights.readPayments)) return <Forbidden right={rights.readPayments} />;
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <p>{texts.intro}</p>
      {may(caller, rights.writePayments) && <DropFile />}
      <RunList />
    </>
  );
}

function RunList() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useRuns();
  const runs = data?.pages.flatMap(({ items }) => items);
  return (
    <section>
      <h2 id="runs">{texts.list}</h2>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {runs === undefined && error === null && <Loading />}
      {runs?.length === 0 && <p>{texts.empty}</p>}
      {runs !== undefined && runs.length > 0 && (
        <table className={styles['runs']} aria-labelledby="runs">
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
            {runs.map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && <Button onPress={() => fetchNextPage()}>{messages.showMore}</Button>}
    </section>
  );
}

function RunRow({ run }: { readonly run: PaymentRun }) {
  const { companies } = useCaller();
  const { columns } = texts;
  const received = formatMoment(run.createdAt);
  const given = run.downloads.map(({ count }) => messages.run.count(count));
  return (
    <tr>
      <th scope="row" data-column={columns.received}>
        <Link to={`/payment-runs/${run.id}`} aria-label={texts.openRun(received)}>
          {received}
        </Link>
      </th>
      <td data-column={columns.execution}>
        {run.executionDate === null ? texts.noDate : formatDay(run.executionDate)}
      </td>
      <td data-column={columns.company}>
        {companies.find(({ id }) => id === run.companyId)?.name ?? texts.removedCompany}
      </td>
      <td data-column={columns.lines}>{run.lineCount}</td>
      {(['hold', 'unknown', 'pay'] as const).map((verdict) => (
        <td key={verdict} data-column={columns[verdict]}>
          <strong className={styles[verdict]}>{run[verdict].count}</strong>
          <Sums of={run[verdict]} />
        </td>
      ))}
      <td data-column={columns.downloads}>{given.length === 0 ? '–' : given.join(', ')}</td>
    </tr>
  );
}
