import { scanFields } from '@invoicecontrol/ledger-csv/scan-row';
import type { ScanField, ScanRow } from '@invoicecontrol/ledger-csv/scan-row';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { Rows } from '../../controls/data-table.js';
import { ErrorState } from '../../controls/error-state.js';
import { Field } from '../../controls/field.js';
import { FileDrop } from '../../controls/file-drop.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { useRefresh } from '../../lists.js';
import { showInvisible } from '../../format/visible-text.js';
import { rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import type { Choices, LedgerText, Reading } from './read-ledger.js';
import { texts as all } from './texts.js';

const texts = all.ledger;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
/** Maximum number of rows of a request, as the API takes it. */
const ROWS_MAX = 5_000;
/** Numbers of rows and faults that are shown before the scan. */
const PREVIEW_ROWS = 5;
const PREVIEW_FAULTS = 20;

export default function LedgerPage() {
  return (
    <Page
      title={texts.title}
      right={rights.writeScans}
      intro={texts.intro}
      back={{ to: '/scans', text: all.scan.back }}
    >
      <Import />
    </Page>
  );
}

/** A ledger with the function that reads its rows. */
interface Opened {
  readonly ledger: LedgerText;
  readonly readLedger: (ledger: LedgerText, choices: Choices) => Reading;
}

function Import() {
  const [opened, setOpened] = useState<Opened>();
  const [fault, setFault] = useState<string>();
  const take = async ([file]: readonly File[]): Promise<void> => {
    setOpened(undefined);
    if (file === undefined) return;
    if (file.size > FILE_BYTES_MAX) return setFault(texts.tooLarge);
    try {
      // The reader is larger than the page, and is loaded with the first file.
      const { openLedger, readLedger } = await import('./read-ledger.js');
      setOpened({ ledger: await openLedger(file), readLedger });
      setFault(undefined);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <>
      <FileDrop
        label={texts.drop}
        choose={texts.choose}
        help={texts.help(ROWS_MAX)}
        accepts={['.csv', '.txt', 'text/csv']}
        onFiles={(files) => void take(files)}
      />
      {fault !== undefined && (
        <p role="alert" className={controls['fault']}>
          {fault}
        </p>
      )}
      {opened !== undefined && <Understood opened={opened} key={opened.ledger.text} />}
    </>
  );
}

function Understood({ opened }: { readonly opened: Opened }) {
  const [choices, setChoices] = useState<Choices>({ columns: new Map(), currency: '', negate: false });
  const read = useMemo(() => readOrFault(opened, choices), [opened, choices]);
  if ('fault' in read) {
    return (
      <p role="alert" className={controls['fault']}>
        {read.fault}
      </p>
    );
  }
  const { reading } = read;
  const change = (changed: Partial<Choices>): void => setChoices((before) => ({ ...before, ...changed }));
  const { header } = opened.ledger.layout;
  const columnOptions = header.map(
    (name, column) => [`#${column + 1}`, showInvisible(`#${column + 1} ${name}`)] as const,
  );
  const columnOf = (field: ScanField): string => {
    const column = reading.columns[field];
    return column === undefined ? '' : `#${column + 1}`;
  };
  return (
    <>
      <fieldset className={controls['checks']}>
        <legend>{texts.columns}</legend>
        {scanFields.map((field) => (
          <Choice
            key={field}
            label={texts.fields[field]}
            value={columnOf(field)}
            onChange={(column) => change({ columns: new Map(choices.columns).set(field, column) })}
            options={[['', texts.none], ...columnOptions]}
          />
        ))}
      </fieldset>
      <fieldset className={controls['checks']}>
        <legend>{texts.formats}</legend>
        <Choice
          label={texts.decimal}
          help={reading.unsure.decimal ? texts.unsure : ''}
          value={reading.decimal}
          onChange={(decimal) => change({ decimal: decimal as Reading['decimal'] })}
          options={[
            ['comma', texts.decimals.comma],
            ['point', texts.decimals.point],
          ]}
        />
        <Choice
          label={texts.dates}
          help={reading.unsure.dates ? texts.unsure : ''}
          value={reading.dates}
          onChange={(dates) => change({ dates: dates as Reading['dates'] })}
          options={[
            ['dmy', texts.orders.dmy],
            ['mdy', texts.orders.mdy],
          ]}
        />
        <Choice
          label={texts.sign}
          value={choices.negate ? 'negated' : 'kept'}
          onChange={(sign) => change({ negate: sign === 'negated' })}
          options={[
            ['kept', texts.signs.kept],
            ['negated', texts.signs.negated],
          ]}
        />
        <Field
          label={texts.currency}
          help={texts.currencyHelp}
          kind="text"
          value={choices.currency}
          onChange={(currency) => change({ currency: currency.trim().toUpperCase() })}
          fault={undefined}
        />
      </fieldset>
      <Preview reading={reading} />
      <Send reading={reading} />
    </>
  );
}

function readOrFault(
  { ledger, readLedger }: Opened,
  choices: Choices,
): { readonly reading: Reading } | { readonly fault: string } {
  try {
    return { reading: readLedger(ledger, choices) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

function Preview({ reading: { rows, skipped, faults, missing } }: { readonly reading: Reading }) {
  if (missing.length > 0) {
    return (
      <p role="alert" className={controls['fault']}>
        {texts.missing(missing.map((field) => texts.fields[field]).join(', '))}
      </p>
    );
  }
  const shown = scanFields.filter((field) => rows.some((row) => row[field] !== undefined));
  return (
    <section>
      <h2 id="preview">{texts.preview}</h2>
      <p role="status">{texts.counts(rows.length, skipped.length, faults.length)}</p>
      {rows.length > 0 && (
        <Rows
          labelledBy="preview"
          rows={rows.slice(0, PREVIEW_ROWS)}
          keyOf={({ sourceRowNumber }) => sourceRowNumber}
          columns={[
            [texts.line, ({ sourceRowNumber }: ScanRow) => sourceRowNumber],
            ...shown.map(
              (field) =>
                [texts.fields[field], (row: ScanRow) => <ForeignText>{row[field] ?? '–'}</ForeignText>] as const,
            ),
          ]}
        />
      )}
      {faults.length > 0 && (
        <>
          <h3 id="faults">{texts.faults}</h3>
          <Rows
            labelledBy="faults"
            rows={faults.slice(0, PREVIEW_FAULTS)}
            keyOf={({ line, field }) => `${line} ${field}`}
            columns={[
              [texts.line, ({ line }) => line],
              [texts.columns, ({ field }) => texts.fields[field]],
              [texts.fault, ({ message }) => <ForeignText>{message}</ForeignText>],
            ]}
          />
        </>
      )}
    </section>
  );
}

function Send({ reading: { rows, missing } }: { readonly reading: Reading }) {
  const { companies } = useCaller();
  const [, navigate] = useLocation();
  const [companyId, setCompanyId] = useState(companies.find(({ isDefault }) => isDefault)?.id ?? '');
  const refresh = useRefresh(['scans', 'findings', 'invoices', 'suppliers']);
  const scan = useMutation({
    async mutationFn() {
      const body = { rows: [...rows], ...(companyId === '' ? {} : { companyId }) };
      return (await client.post('/scans', { body })).data;
    },
    onSuccess({ id }) {
      refresh();
      navigate(`/scans/${id}`);
    },
  });
  if (missing.length > 0 || rows.length === 0) return null;
  if (rows.length > ROWS_MAX) {
    return (
      <p role="alert" className={controls['fault']}>
        {texts.tooMany(rows.length, ROWS_MAX)}
      </p>
    );
  }
  return (
    <>
      {companies.length > 1 && (
        <Choice
          label={texts.company}
          value={companyId}
          onChange={setCompanyId}
          options={companies.map(({ id, name }) => [id, name] as const)}
        />
      )}
      <Button variant="primary" isPending={scan.isPending} onPress={() => scan.mutate()}>
        {texts.send}
      </Button>
      <p role="status">{scan.isPending ? texts.running : ''}</p>
      {scan.error !== null && <ErrorState error={scan.error} />}
    </>
  );
}
