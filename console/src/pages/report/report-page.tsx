import { useSearchParams } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { Rows } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { DayRange } from '../../controls/day-range.js';
import { Facts } from '../../controls/facts.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { saveFile } from '../../files.js';
import { csvOf } from '../../format/csv.js';
import { formatMoney } from '../../format/money.js';
import { rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { queryOf, useSummary } from './queries.js';
import type { ReportFilters, Summary } from './queries.js';
import { texts } from './texts.js';
import { reviewTexts } from '../../findings/texts.js';

export default function ReportPage() {
  return (
    <Page title={texts.title} right={rights.readFindings} intro={texts.intro}>
      <Report />
    </Page>
  );
}

/** The report. Its filters are in the address, so that the same report can be opened again. */
function Report() {
  const { companies } = useCaller();
  const [search, setSearch] = useSearchParams();
  const filters = {
    from: search.get('from') ?? '',
    to: search.get('to') ?? '',
    company: search.get('company') ?? '',
  };
  const change = (changed: Partial<ReportFilters>): void => setSearch({ ...filters, ...changed }, { replace: true });
  return (
    <>
      <DayRange labels={texts} days={filters} onChange={change} />
      {companies.length > 1 && (
        <Choice
          label={texts.company}
          value={filters.company}
          onChange={(company) => change({ company })}
          options={[['', texts.allCompanies], ...companies.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <Loaded query={useSummary(filters)}>
        {(summary) => (
          <>
            <Saving summary={summary} filters={filters} />
            <Figures summary={summary} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** What each part of the report states, besides its name. */
type Part = Omit<Summary['total'], never>;

function Saving({ summary, filters }: { readonly summary: Summary; readonly filters: ReportFilters }) {
  return (
    <div className={controls['toolbar']} data-screen-only>
      <Button variant="primary" onPress={() => window.print()}>
        {texts.print}
      </Button>
      <ActButton
        refreshes={[]}
        // oxlint-disable-next-line require-await -- An act answers with a promise.
        act={async () => texts.saved(saveFile(new Blob([csvOf(rowsOf(summary))]), new Headers(), 'report.csv'))}
      >
        {texts.csv}
      </ActButton>
      <ActButton
        refreshes={[]}
        act={async () => {
          const query = queryOf(filters);
          const { data, headers } = await client.file('/findings', { query, headers: { accept: 'text/csv' } });
          return texts.saved(saveFile(data, headers, 'findings.csv'));
        }}
      >
        {texts.findingsCsv}
      </ActButton>
    </div>
  );
}

/** Returns the parts of the report with their names, as pages and files show them. */
function sectionsOf({ byMonth, byType, bySeverity, byDisposition }: Summary) {
  const { severities, dispositions } = reviewTexts.finding;
  return [
    { title: texts.byMonth, name: texts.month, parts: byMonth.map((part) => ({ ...part, name: part.month })) },
    { title: texts.byType, name: texts.type, parts: byType.map((part) => ({ ...part, name: part.type })) },
    {
      title: texts.bySeverity,
      name: texts.severity,
      parts: bySeverity.map((part) => ({ ...part, name: severities[part.severity] })),
    },
    {
      title: texts.byDisposition,
      name: texts.disposition,
      parts: byDisposition.map((part) => ({ ...part, name: dispositions[part.disposition] })),
    },
  ] as const;
}

function rowsOf(summary: Summary): readonly (readonly (string | number)[])[] {
  const currency = summary.baseCurrency;
  const cells = ({ count, open, amountAtRisk, amountConfirmed, amountConfirmedInScans }: Part) => [
    count,
    open,
    amountAtRisk,
    amountConfirmed,
    amountConfirmedInScans,
    currency,
  ];
  return [
    ['', '', texts.count, texts.open, texts.atRisk, texts.confirmed, texts.recovered, ''],
    [texts.totals, '', ...cells(summary.total)],
    ...sectionsOf(summary).flatMap(({ title, parts }) => parts.map((part) => [title, part.name, ...cells(part)])),
  ];
}

function Figures({ summary }: { readonly summary: Summary }) {
  const { total, baseCurrency, withoutAmount } = summary;
  const money = (amount: string): string => formatMoney(amount, baseCurrency);
  const columns: readonly Column<Part & { readonly name: string }>[] = [
    [texts.count, ({ count }) => count],
    [texts.open, ({ open }) => open],
    [texts.atRisk, ({ amountAtRisk }) => money(amountAtRisk)],
    [texts.confirmed, ({ amountConfirmed }) => money(amountConfirmed)],
    [texts.recovered, ({ amountConfirmedInScans }) => money(amountConfirmedInScans)],
  ];
  if (total.count === 0) return <p>{texts.empty}</p>;
  return (
    <>
      <h2>{texts.totals}</h2>
      <Facts facts={Object.fromEntries(columns.map(([name, cell]) => [name, cell({ ...total, name: '' })]))} />
      {withoutAmount > 0 && <p>{texts.withoutAmount(withoutAmount)}</p>}
      {sectionsOf(summary).map(({ title, name, parts }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Rows
            label={title}
            rows={parts}
            keyOf={(part) => part.name}
            columns={[[name, (part) => part.name], ...columns]}
          />
        </section>
      ))}
    </>
  );
}
