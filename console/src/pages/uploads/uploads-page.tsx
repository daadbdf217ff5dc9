import { useState } from 'react';
import { Link } from 'wouter';
import { useAddressFilters } from '../../address-filters.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { DataTable, Rows } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { FileDrop } from '../../controls/file-drop.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { sentenceOf } from '../../controls/error-state.js';
import { DecisionTag } from '../invoices/decision-tag.js';
import { endings, uploadStatuses, useSendFiles, useSentFiles, useUploads, useUploadsReadAgain } from './queries.js';
import type { ListedUpload, UploadStatus } from './queries.js';
import { texts } from './texts.js';
import { nameOfField } from '../../findings/field-name.js';
import { reviewTexts } from '../../findings/texts.js';

/** Maximum number of files that a person sends at once. */
const FILES_MAX = 100;

type Sent = ReturnType<typeof useSentFiles>[number];

export default function UploadsPage() {
  return (
    <Page title={texts.title} right={rights.readInvoices} intro={texts.intro}>
      <SentFiles />
      <AllUploads />
    </Page>
  );
}

/** Sends files, and shows the progress of those that were sent since the sign-in. */
function SentFiles() {
  const caller = useCaller();
  const sent = useSentFiles();
  const done = sent.filter(isDone).length;
  useUploadsReadAgain(done);
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

/** The uploads of the organization, also those of other people. The filter is in the address of the page. */
function AllUploads() {
  const [read, change] = useAddressFilters();
  const status = uploadStatuses.find((one) => one === read('status'));
  return (
    <>
      <Choice
        label={texts.filter}
        value={status ?? ''}
        onChange={(chosen) => change('status', chosen)}
        options={[['', texts.any], ...uploadStatuses.map((one) => [one, texts.states[one]] as const)]}
      />
      <DataTable
        title={texts.all}
        list={useUploads(status)}
        empty={status === undefined ? texts.noUploads : texts.noneMatches}
        columns={uploadColumns}
        keyOf={({ upload_id: uploadId }) => uploadId}
      />
    </>
  );
}

type Outcome = Pick<UploadStatus, 'decision' | 'invoice_id' | 'failure' | 'missing_fields'>;

/** The decision on the invoice of an upload, as a link to the invoice. */
function Decided({ upload }: { readonly upload: Outcome | undefined }) {
  if (typeof upload?.decision !== 'string' || upload.invoice_id === null) return '–';
  return (
    <Link to={`/invoices/${upload.invoice_id}`} aria-label={reviewTexts.invoice.decisions[upload.decision]}>
      <DecisionTag decision={upload.decision} />
    </Link>
  );
}

/** Why no invoice could be read, and the fields that are missing. */
function Problem({ upload }: { readonly upload: Outcome | undefined }) {
  const { failure = null, missing_fields: missing = [] } = upload ?? {};
  if (failure === null) return '–';
  return (
    <>
      <ForeignText>{failure.message}</ForeignText>
      {missing.length > 0 && <p>{texts.missingFields(missing.map(nameOfField).join(', '))}</p>}
    </>
  );
}

const uploadColumns: readonly Column<ListedUpload>[] = [
  [
    texts.columns.sent,
    ({ upload_id: uploadId, created_at: createdAt }) => (
      <Link to={`/uploads/${uploadId}`}>{formatMoment(createdAt)}</Link>
    ),
  ],
  [texts.columns.state, ({ status }) => texts.states[status]],
  [texts.columns.decision, (upload) => <Decided upload={upload} />],
  [texts.columns.problem, (upload) => <Problem upload={upload} />],
];

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
  [texts.columns.decision, ({ status }) => <Decided upload={status} />],
  [
    texts.columns.problem,
    ({ file, status }) => {
      if (file.state === 'REFUSED') return file.error === undefined ? texts.wrongType : sentenceOf(file.error);
      return <Problem upload={status} />;
    },
  ],
];
