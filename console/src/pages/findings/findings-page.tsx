import { useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { useAddressFilters } from '../../address-filters.js';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import { CheckMenu } from '../../controls/check-menu.js';
import controls from '../../controls/controls.module.css';
import { Dialog } from '../../controls/dialog.js';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { PageTitle } from '../../controls/page-title.js';
import { SearchField } from '../../controls/search-field.js';
import { SeverityTag } from '../../findings/severity-tag.js';
import { formatMoney } from '../../format/money.js';
import { keyOf } from '../../keymap.js';
import type { Command } from '../../keymap.js';
import { showInvisible } from '../../format/visible-text.js';
import { messages } from '../../messages/messages.js';
import { useAssignees } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { BulkBar } from './bulk-bar.js';
import { FindingDetail } from './finding-detail.js';
import { dispositions, families, SELECTED_MAX, severities, sorts, useFindings } from './queries.js';
import type { Filters } from './queries.js';
import { useCommands } from './use-commands.js';
import { Views } from './views.js';
import styles from './findings.module.css';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.findings;

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
  const [filters, change] = useFilters();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useFindings(filters);
  const [isHelpShown, setHelpShown] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const caller = useCaller();
  const maySelect = may(caller, rights.reviewFindings) || may(caller, rights.assignFindings);
  const findings = data?.pages.flatMap(({ items }) => items);
  const chosen = findings?.filter(({ id }) => selected.has(id)) ?? [];

  /** Selects a finding for a decision about several, or removes it. No more are selected than one request takes. */
  const select = (id: string): void => {
    const changed = new Set(chosen.map((finding) => finding.id));
    if (!changed.delete(id) && changed.size < SELECTED_MAX) changed.add(id);
    setSelected(changed);
  };

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
    if (command === 'select' && maySelect && at >= 0 && findingId !== undefined) select(findingId);
  });
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <Views />
      <FilterBar />
      {filters.supplier_id !== undefined && (
        <p className={controls['actions']}>
          <span>{texts.supplierOnly(showInvisible(findings?.[0]?.supplierName ?? texts.thisSupplier))}</span>
          <Button onPress={() => change('supplier', '')}>{texts.anySupplier}</Button>
        </p>
      )}
      {filters.scan_id !== undefined && (
        <p className={controls['actions']}>
          <span>{texts.scanOnly}</span>
          <Button onPress={() => change('scan', '')}>{texts.anyScan}</Button>
        </p>
      )}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {maySelect && <BulkBar chosen={chosen} onClear={() => setSelected(new Set())} />}
      <div className={styles['inbox']} data-selected={findingId !== undefined || undefined}>
        <nav aria-label={texts.list} className={styles['list']}>
          {findings === undefined && error === null && <Loading />}
          {findings?.length === 0 && <p>{texts.empty}</p>}
          <ol>
            {findings?.map((finding) => (
              <li key={finding.id} id={`row-${finding.id}`} className={styles['item']}>
                {maySelect && (
                  <input
                    type="checkbox"
                    className={styles['check']}
                    aria-label={texts.select(showInvisible(finding.summary))}
                    checked={selected.has(finding.id)}
                    onChange={() => select(finding.id)}
                  />
                )}
                <FindingRow
                  finding={finding}
                  isSelected={finding.id === findingId}
                  search={search}
                  listed={filters.disposition?.split(',')}
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
              <FindingDetail findingId={findingId} hasKeys={chosen.length === 0} />
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
                <dd>{reviewTexts.keymap[command as Command]}</dd>
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
  /** Dispositions of the findings that the list shows, or undefined for every disposition. */
  readonly listed: readonly string[] | undefined;
}) {
  const { id, severity, summary, supplierName, disposition, amountAtRisk, amountAtRiskCurrency } = finding;
  const isDecided = listed !== undefined && !listed.includes(disposition);
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
          {supplierName === null ? reviewTexts.finding.unknownSupplier : <ForeignText>{supplierName}</ForeignText>}
        </span>
        {amountAtRisk !== null && <span>{formatMoney(amountAtRisk, amountAtRiskCurrency ?? '')}</span>}
      </span>
      <span className={styles['row-text']}>
        <ForeignText>{summary}</ForeignText>
      </span>
      {isDecided && <span>{reviewTexts.finding.dispositions[disposition]}</span>}
    </Link>
  );
}

/** Values of the filter by assignee in the address, beside the ids of members. */
const ANY = 'any';
const ME = 'me';

function assigneeOption(userId: string, ownId: string | undefined): string {
  return userId === ownId ? ME : userId;
}

/** Returns those of the known values that a filter of the address names, separated by commas. */
function valuesOf<Value extends string>(filter: string, known: readonly Value[]): readonly Value[] {
  const named: readonly string[] = filter.split(',');
  return known.filter((one) => named.includes(one));
}

/**
 * Reads and changes the filters of the list of findings, which are in the address. Without any, the open findings are
 * shown.
 */
function useFilters(): [Filters, (name: string, value: string) => void] {
  const { user } = useCaller();
  const [read, change] = useAddressFilters();
  const minSeverity = severities.find((one) => one === read('severity'));
  const [supplier, scan, q, assigned] = [read('supplier'), read('scan'), read('q'), read('assignee')];
  const disposition = valuesOf(read('disposition') === '' ? 'OPEN' : read('disposition'), dispositions).join(',');
  const family = valuesOf(read('family'), families).join(',');
  // An address with `me` shows everybody their own findings, so that it can be shared.
  const assignee = assigned === ME ? (user?.id ?? '') : assigned === ANY ? '' : assigned;
  const filters = {
    ...(minSeverity === undefined ? {} : { min_severity: minSeverity }),
    ...(disposition === '' ? {} : { disposition }),
    ...(family === '' ? {} : { family }),
    ...(supplier === '' ? {} : { supplier_id: supplier }),
    ...(scan === '' ? {} : { scan_id: scan }),
    ...(q === '' ? {} : { q }),
    ...(assignee === '' ? {} : { assignee_user_id: assignee }),
    sort: sorts.find((one) => one === read('sort')) ?? 'severity',
  };
  return [filters, change];
}

function FilterBar() {
  const { user } = useCaller();
  const { data: assignees = [] } = useAssignees();
  const [filters, change] = useFilters();
  const { severities: severityNames, dispositions: dispositionNames, families: familyNames } = reviewTexts.finding;
  const selects = [
    {
      name: 'severity',
      label: texts.severity,
      value: filters.min_severity ?? ANY,
      options: [
        [ANY, texts.anySeverity],
        ...severities.map((one) => [one, texts.atLeast(severityNames[one])] as const),
      ] as const,
    },
    {
      name: 'assignee',
      label: texts.assignee,
      value: filters.assignee_user_id === undefined ? ANY : assigneeOption(filters.assignee_user_id, user?.id),
      options: [
        [ANY, texts.anyAssignee],
        ...(user === null ? [] : [[ME, texts.assignedToMe] as const]),
        ...assignees.filter(({ userId }) => userId !== user?.id).map(({ userId, name }) => [userId, name] as const),
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
      <SearchField label={reviewTexts.search} value={filters.q ?? ''} onSearch={(text) => change('q', text)} />
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
      <CheckMenu
        label={texts.disposition}
        any={texts.anyDisposition}
        options={dispositions.map((one) => [one, dispositionNames[one]])}
        chosen={filters.disposition?.split(',') ?? []}
        onChange={(chosen) => change('disposition', chosen.length === 0 ? ANY : chosen.join(','))}
      />
      <CheckMenu
        label={texts.family}
        any={texts.anyFamily}
        options={families.map((one) => [one, familyNames[one]])}
        chosen={filters.family?.split(',') ?? []}
        onChange={(chosen) => change('family', chosen.join(','))}
      />
    </fieldset>
  );
}
