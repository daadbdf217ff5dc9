import { useState } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { Rows } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { FileDrop } from '../../controls/file-drop.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { sentenceOf } from '../../controls/error-state.js';
import { DecisionTag } from '../invoices/decision-tag.js';
import { endings, useSendFiles, useSentFiles } from './queries.js';
import { texts } from './texts.js';
import { reviewTexts } from '../../findings/texts.js';

/** Maximum number of files that a person sends at once. */
const FILES_MAX = 100;

type Sent = ReturnType<typeof useSentFiles>[number];

export default function UploadsPage() {
  return (
    <Page title={texts.title} right={rights.readInvoices} intro={texts.intro}>
      <Uploads />
    </Page>
  );
}

function Uploads() {
  const caller = useCaller();
  const sent = useSentFiles();
  const done = sent.filter(isDone).length;
  return (
    <>
      {may(caller, rights.sendUploads) && may(caller, rights.writeInvoices) && <DropFiles />}
      <section>
        <h2 id="sent">{texts.list}</h2>
        <p role="status">{sent.length === 0 ? texts.empty : texts.progress(done, sent.length)}</p>
        {sent.length > 0 && (
          <>
            <progress max={sent.length} value={done} aria-labelledby="sent" />
            <Rows labelledBy="sent" rows={sent} columns={columns} keyOf={({ file }) => file.key} />
          </>
        )}
      </section>
    </>
  );
}

function DropFiles() {
  const { companies } = useCaller();
  const [companyId, setCompanyId] = useState('');
  const [fault, setFault] = useState<string>();
  const send = useSendFiles();
  const take = (files: readonly File[]): void => {
    const isTooMany = files.length > FILES_MAX;
    setFault(isTooMany ? texts.tooMany(files.length, FILES_MAX) : undefined);
    if (!isTooMany && files.length > 0) send.mutate({ files, companyId });
  };
  return (
    <section aria-label={texts.drop}>
      {companies.length > 1 && (
        <Choice
          label={texts.company}
          value={companyId}
          onChange={setCompanyId}
          options={[['', texts.companyOfDocument], ...companies.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <FileDrop
        label={texts.drop}
        choose={texts.choose}
        help={texts.dropHelp(FILES_MAX)}
        accepts={endings}
        takesSeveral
        onFiles={take}
      />
      {fault !== undefined && (
        <p role="alert" className={controls['fault']}>
          {fault}
        </p>
      )}
    </section>
  );
}

function isDone({ file, status }: Sent): boolean {
  return file.state === 'REFUSED' || status?.status === 'COMPLETED' || status?.status === 'FAILED';
}

const columns: readonly Column<Sent>[] = [
  [
    texts.columns.file,
    ({ file: { name, uploadId } }) =>
      uploadId === undefined ? (
        <ForeignText>{name}</ForeignText>
      ) : (
        <Link to={`/uploads/${uploadId}`}>
          <ForeignText>{name}</ForeignText>
        </Link>
      ),
  ],
  [
    texts.columns.state,
    ({ file, status }) => texts.states[file.state === 'SENT' ? (status?.status ?? 'PROCESSING') : file.state],
  ],
  [
    texts.columns.decision,
    ({ status }) => {
      if (typeof status?.decision !== 'string' || status.invoice_id === null) return '–';
      return (
        <Link to={`/invoices/${status.invoice_id}`} aria-label={reviewTexts.invoice.decisions[status.decision]}>
          <DecisionTag decision={status.decision} />
        </Link>
      );
    },
  ],
  [
    texts.columns.problem,
    ({ file, status }) => {
      if (file.state === 'REFUSED') return file.error === undefined ? texts.wrongType : sentenceOf(file.error);
      return status?.failure ? <ForeignText>{status.failure.message}</ForeignText> : '–';
    },
  ],
];
