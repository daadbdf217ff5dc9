import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Link, useSearchParams } from 'wouter';
import type { PaymentRun } from '../../client.js';
import controls from '../../controls/controls.module.css';
import { Facts } from '../../controls/facts.js';
import { Loaded } from '../../controls/loaded.js';
import { PageTitle } from '../../controls/page-title.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { LineList } from './line-list.js';
import { useRun } from './queries.js';
import type { Verdict } from './queries.js';
import { RunActions } from './run-actions.js';
import { Sums } from './sums.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.run;
const verdicts = ['HOLD', 'UNKNOWN', 'PAY'] as const satisfies readonly Verdict[];
const partOf = { HOLD: 'hold', UNKNOWN: 'unknown', PAY: 'pay' } as const;

export default function PaymentRunPage({ runId }: { readonly runId: string }) {
  const caller = useCaller();
  if (!may(caller, rights.readPayments)) return <Forbidden right={rights.readPayments} />;
  return <Run runId={runId} />;
}

function Run({ runId }: { readonly runId: string }) {
  return <Loaded query={useRun(runId)}>{(run) => <RunContent run={run} />}</Loaded>;
}

function RunContent({ run }: { readonly run: PaymentRun }) {
  const caller = useCaller();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('list');
  const selected =
    verdicts.find((verdict) => verdict === asked) ??
    verdicts.find((verdict) => run[partOf[verdict]].count > 0) ??
    'PAY';
  return (
    <>
      <p>
        <Link to="/payment-runs">{texts.back}</Link>
      </p>
      <PageTitle>{texts.title(formatMoment(run.createdAt))}</PageTitle>
      {search.has('stored') && <p className={controls['notice']}>{texts.already}</p>}
      <RunFacts run={run} />
      {may(caller, rights.writePayments) && <RunActions run={run} />}
      <Downloads run={run} />
      <Tabs
        selectedKey={selected}
        onSelectionChange={(verdict) => setSearch({ list: String(verdict) }, { replace: true })}
      >
        <TabList aria-label={texts.lists} className={styles['tabs'] ?? ''}>
          {verdicts.map((verdict) => (
            <Tab key={verdict} id={verdict} className={styles['tab'] ?? ''}>
              <strong className={styles[partOf[verdict]]}>
                {texts.verdicts[verdict]} {run[partOf[verdict]].count}
              </strong>
              <Sums of={run[partOf[verdict]]} />
            </Tab>
          ))}
        </TabList>
        {verdicts.map((verdict) => (
          <TabPanel key={verdict} id={verdict}>
            <h2 className={styles['list-title']}>{texts.listTitle[verdict]}</h2>
            <p className={controls['help']}>
              {run[partOf[verdict]].count === 0 ? texts.noLines[verdict] : texts.verdictHelp[verdict]}
            </p>
            <LineList runId={run.id} verdict={verdict} />
          </TabPanel>
        ))}
      </Tabs>
    </>
  );
}

function RunFacts({ run }: { readonly run: PaymentRun }) {
  const { companies } = useCaller();
  const company = companies.find(({ id }) => id === run.companyId)?.name ?? runTexts.runs.removedCompany;
  return (
    <Facts
      facts={{
        [texts.facts.company]: company,
        [texts.facts.execution]: run.executionDate === null ? runTexts.runs.noDate : formatDay(run.executionDate),
        [texts.facts.lines]: texts.count(run.lineCount),
        [texts.facts.source]: texts.sources[run.source],
      }}
    />
  );
}

function Downloads({ run: { downloads } }: { readonly run: PaymentRun }) {
  const { nameOf } = usePeople();
  if (downloads.length === 0) return null;
  return (
    <section>
      <h2>{texts.downloads}</h2>
      <ol>
        {downloads.map(({ at, by, count }) => (
          <li key={at}>{texts.downloadLine(texts.count(count), formatMoment(at), nameOf(by))}</li>
        ))}
      </ol>
    </section>
  );
}
