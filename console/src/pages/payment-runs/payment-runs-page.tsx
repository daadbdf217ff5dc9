import { Link } from 'wouter';
import type { Caller, PaymentRun } from '../../client.js';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Page } from '../../controls/page.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { DropFile } from './drop-file.js';
import { useRuns } from './queries.js';
import { Sums } from './sums.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.runs;

export default function PaymentRunsPage() {
  return (
    <Page title={texts.title} right={rights.readPayments} intro={texts.intro}>
      <RunList />
    </Page>
  );
}

function RunList() {
  const caller = useCaller();
  return (
    <>
      {may(caller, rights.writePayments) && <DropFile />}
      <DataTable
        title={texts.list}
        list={useRuns()}
        empty={texts.empty}
        columns={columnsOf(caller)}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function columnsOf({ companies }: Caller): readonly Column<PaymentRun>[] {
  const { columns } = texts;
  return [
    [
      columns.received,
      ({ id, createdAt }) => (
        <Link to={`/payment-runs/${id}`} aria-label={texts.openRun(formatMoment(createdAt))}>
          {formatMoment(createdAt)}
        </Link>
      ),
    ],
    [columns.execution, ({ executionDate }) => (executionDate === null ? texts.noDate : formatDay(executionDate))],
    [columns.company, ({ companyId }) => companies.find(({ id }) => id === companyId)?.name ?? texts.removedCompany],
    [columns.lines, ({ lineCount }) => lineCount],
    ...(['hold', 'unknown', 'pay'] as const).map((verdict): Column<PaymentRun> => [
      columns[verdict],
      (run) => (
        <>
          <strong className={styles[verdict]}>{run[verdict].count}</strong>
          <Sums of={run[verdict]} />
        </>
      ),
    ]),
    [
      columns.downloads,
      ({ downloads }) =>
        downloads.length === 0 ? '–' : downloads.map(({ count }) => runTexts.run.count(count)).join(', '),
    ],
  ];
}
