import { useState } from 'react';
import { Link, useLocation, useParams, useSearch, useSearchParams } from 'wouter';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Dialog } from '../../controls/dialog.js';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { PageTitle } from '../../controls/page-title.js';
import { formatMoney } from '../../format/money.js';
import { keyOf } from '../../keymap.js';
import type { Command } from '../../keymap.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { FindingDetail } from './finding-detail.js';
import { SeverityTag } from './severity-tag.js';
import { dispositions, severities, sorts, useFindings } from './queries.js';
import type { Filters } from './queries.js';
import { useCommands } from './use-commands.js';
import styles from './findings.module.css';

const texts = messages.findings;

export default function FindingsPage() {
  if (!may(useCaller(), rights.readFindings)) return <Forbidden right={rights.readFindings} />;
  return <Inbox />;
}

/** The list of findings with the selected one beside it. Filters and selection are in the address. */
function Inbox() {
  const { findingId } = useParams<{ findingId?: string }>();
  const [, navigate] = useLocation();
  const query = useSearch();
  const search = query === '' ? '' : `?${query}`;
  const [filters] = useFilters();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useFindings(filters);
  const [isHelpShown, setHelpShown] = useState(false);
  const findings = data?.pages.flatMap(({ items }) => items);

  const open = (finding: Finding | undefined): void => {
    if (finding === undefined) return;
    navigate(`/findings/${finding.id}${search}`);
    document.getElementById(`row-${finding.id}`)?.scrollIntoView({ block: 'nearest' });
  };
  useCommands((command) => {
    const at = findings?.findIndex(({ id }) => id === findingId) ?? -1;
    if (command === 'next') open(findings?.[at + 1]);
    if (command === 'previous') open(findings?.[at < 0 ? 0 : at - 1]);
    if (command === 'back') navigate(`/findings${search}`);
    if (command === 'help') setHelpShown(true);
  });
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <FilterBar />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      <div className={styles['inbox']} data-selected={findingId !== undefined || undefined}>
        <nav aria-label={texts.list} className={styles['list']}>
          {findings === undefined && error === null && <Loading />}
          {findings?.length === 0 && <p>{texts.empty}</p>}
          <ol>
            {findings?.map((finding) => (
              <li key={finding.id} id={`row-${finding.id}`}>
                <FindingRow
                  finding={finding}
                  isSelected={finding.id === findingId}
                  search={search}
                  listed={filters.disposition}
                />
              </li>
            ))}
          </ol>
          {hasNextPage && <Button onPress={() => fetchNextPage()}>{messages.showMore}</Button>}
        </nav>
        <section className={styles['detail']}>
          {findingId === undefined ? (
            <p className={controls['help']}>{texts.choose}</p>
          ) : (
            <>
              <p className={styles['back']}>
                <Link to={`/findings${search}`}>{texts.back}</Link>
              </p>
              <FindingDetail findingId={findingId} />
            </>
          )}
        </section>
      </div>
      <Button onPress={() => setHelpShown(true)}>{texts.keys}</Button>
      {isHelpShown && (
        <Dialog title={texts.keysTitle} onClose={() => setHelpShown(false)}>
          <dl className={styles['keys']}>
            {Object.entries(keyOf).map(([command, key]) => (
              <div key={command}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{messages.keymap[command as Command]}</dd>
              </div>
            ))}
          </dl>
          <Button onPress={() => setHelpShown(false)}>{messages.close}</Button>
        </Dialog>
      )}
    </>
  );
}

/** A row of the list of findings. A finding that was decided since the list was read is struck through. */
function FindingRow({
  finding,
  isSelected,
  search,
  listed,
}: {
  readonly finding: Finding;
  readonly isSelected: boolean;
  readonly search: string;
  /** Disposition of the findings that the list shows, or undefined for every disposition. */
  readonly listed: Finding['disposition'] | undefined;
}) {
  const { id, severity, summary, supplierName, disposition, amountAtRisk, amountAtRiskCurrency } = finding;
  const isDecided = listed !== undefined && disposition !== listed;
  return (
    <Link
      to={`/findings/${id}${search}`}
      className={styles['row']}
      data-decided={isDecided || undefined}
      {...(isSelected ? { 'aria-current': 'true' as const } : {})}
    >
      <span className={styles['row-head']}>
        <SeverityTag severity={severity} />
        <span>
          {supplierName === null ? messages.finding.unknownSupplier : <ForeignText>{supplierName}</ForeignText>}
        </span>
        {amountAtRisk !== null && <span>{formatMoney(amountAtRisk, amountAtRiskCurrency ?? '')}</span>}
      </span>
      <span className={styles['row-text']}>
        <ForeignText>{summary}</ForeignText>
      </span>
      {isDecided && <span>{messages.finding.dispositions[disposition]}</span>}
    </Link>
  );
}

/**
 * Reads and changes the filters of the list of findings, which are in the address. Without any, the open findings are
 * shown.
 */
function useFilters(): [Filters, (name: string, value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const minSeverity = severities.find((one) => one === search.get('severity'));
  const asked = search.get('disposition') ?? 'OPEN';
  const disposition = dispositions.find((one) => one === asked);
  const filters = {
    ...(minSeverity === undefined ? {} : { min_severity: minSeverity }),
    ...(disposition === undefined ? {} : { disposition }),
    sort: sorts.find((one) => one === search.get('sort')) ?? 'severity',
  };
  const change = (name: string, value: string): void => {
    setSearch((before) => {
      const changed = new URLSearchParams(before);
      changed.set(name, value);
      return changed;
    });
  };
  return [filters, change];
}

function FilterBar() {
  const [filters, change] = useFilters();
  const { severities: severityNames, dispositions: dispositionNames } = messages.finding;
  const selects = [
    {
      name: 'severity',
      label: texts.severity,
      value: filters.min_severity ?? 'any',
      options: [
        ['any', texts.anySeverity],
        ...severities.map((one) => [one, texts.atLeast(severityNames[one])] as const),
      ] as const,
    },
    {
      name: 'disposition',
      label: texts.disposition,
      value: filters.disposition ?? 'any',
      options: [
        ['any', texts.anyDisposition],
        ...dispositions.map((one) => [one, dispositionNames[one]] as const),
      ] as const,
    },
    {
      name: 'sort',
      label: texts.sort,
      value: filters.sort,
      options: sorts.map((one) => [one, texts.sorts[one]] as const),
    },
  ];
  return (
    <fieldset className={styles['filters']}>
      <legend className="visually-hidden">{texts.filters}</legend>
      {selects.map(({ name, label, value, options }) => (
        <label key={name}>
          <span className={controls['label']}>{label}</span>
          <select className={controls['input']} value={value} onChange={({ target }) => change(name, target.value)}>
            {options.map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}
