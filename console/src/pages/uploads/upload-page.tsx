import { useState } from 'react';
import { Link } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { formatPercent } from '../../format/percent.js';
import { locale } from '../../messages/language.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { DecisionTag } from '../invoices/decision-tag.js';
import { Correction } from './correction.js';
import { UPLOADS, useUpload } from './queries.js';
import type { UploadStatus } from './queries.js';
import { texts } from './texts.js';
import { nameOfField } from '../../findings/field-name.js';

export default function UploadPage({ uploadId }: { readonly uploadId: string }) {
  return (
    <Page title={texts.uploadTitle} right={rights.readInvoices} back={{ to: '/uploads', text: texts.back }}>
      <LoadedUpload uploadId={uploadId} />
    </Page>
  );
}

function LoadedUpload({ uploadId }: { readonly uploadId: string }) {
  return <Loaded query={useUpload(uploadId)}>{(upload) => <Upload upload={upload} />}</Loaded>;
}

function Upload({ upload }: { readonly upload: UploadStatus }) {
  const caller = useCaller();
  const [isCorrecting, setCorrecting] = useState(false);
  const { failure, fields = {}, missing_fields: missing = [], decision } = upload;
  const read = Object.entries(fields);
  const mayCorrect =
    may(caller, rights.analyzeAgain) && (upload.status === 'COMPLETED' || failure?.reason === 'FIELDS_MISSING');
  return (
    <>
      <Facts
        facts={{
          [texts.facts.status]: texts.states[upload.status],
          [texts.facts.decision]: decision === null ? undefined : <DecisionTag decision={decision} />,
          [texts.facts.type]: upload.media_type,
          [texts.facts.size]: texts.bytes(upload.byte_size.toLocaleString(locale)),
          [texts.facts.created]: formatMoment(upload.created_at),
          [texts.facts.ksef]: upload.ksefNumber,
          [texts.facts.reason]: failure === null ? undefined : <code>{failure.reason}</code>,
        }}
      />
      {upload.status === 'COMPLETED' && upload.invoice_id !== null && (
        <p>
          <Link to={`/invoices/${upload.invoice_id}`}>{texts.openInvoice}</Link>
        </p>
      )}
      {upload.status === 'UPLOADED' && may(caller, rights.writeInvoices) && (
        <ActButton
          act={async () => {
            const body = { upload_id: upload.upload_id };
            await client.post('/invoices/from-upload', { body, headers: { prefer: 'respond-async' } });
            return undefined;
          }}
          refreshes={[UPLOADS]}
        >
          {texts.analyze}
        </ActButton>
      )}
      {failure !== null && (
        <section className={controls['notice']}>
          <h2>{texts.failed}</h2>
          <p>
            <ForeignText>{failure.message}</ForeignText>
          </p>
        </section>
      )}
      {missing.length > 0 && (
        <section>
          <h2>{texts.missing}</h2>
          <ul>
            {missing.map((path) => (
              <li key={path}>{nameOfField(path)}</li>
            ))}
          </ul>
        </section>
      )}
      {mayCorrect && !isCorrecting && <Button onPress={() => setCorrecting(true)}>{texts.correct}</Button>}
      {isCorrecting && <Correction upload={upload} onClose={() => setCorrecting(false)} />}
      {read.length > 0 && (
        <section>
          <h2 id="read">{texts.read}</h2>
          <Rows
            labelledBy="read"
            rows={read}
            keyOf={([path]) => path}
            columns={[
              [texts.field, ([path]) => nameOfField(path)],
              [texts.value, ([, { value }]) => <ForeignText>{value}</ForeignText>],
              [texts.certain, ([, { confidence }]) => formatPercent(confidence)],
            ]}
          />
        </section>
      )}
    </>
  );
}
