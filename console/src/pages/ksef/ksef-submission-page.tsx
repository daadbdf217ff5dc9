import { Link } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import controls from '../../controls/controls.module.css';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { saveFile } from '../../files.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { SubmissionTag } from './ksef-tag.js';
import { KSEF, useAttempts, useSubmission } from './queries.js';
import type { KsefSubmission, SubmissionPath } from './queries.js';
import { texts } from './texts.js';

export default function KsefSubmissionPage({ path }: { readonly path: SubmissionPath }) {
  const back = { to: `/ksef/${path.connectionId}`, text: texts.backToConnection };
  return (
    <Page title={texts.submission} right={rights.readKsef} back={back}>
      <LoadedSubmission path={path} />
    </Page>
  );
}

function LoadedSubmission({ path }: { readonly path: SubmissionPath }) {
  return (
    <Loaded query={useSubmission(path)}>
      {(submission) => (
        <>
          <Submission submission={submission} />
          <SubmissionActs path={path} submission={submission} />
          <Attempts path={path} status={submission.status} />
        </>
      )}
    </Loaded>
  );
}

function Submission({ submission }: { readonly submission: KsefSubmission }) {
  const { status, ksefNumber, nextStep, errorCode, errorMessage, submittedAt, completedAt, warnings } = submission;
  return (
    <>
      <Facts
        facts={{
          [texts.status]: <SubmissionTag status={status} />,
          [texts.number]: ksefNumber,
          [texts.nextStep]: nextStep,
          [texts.submittedAt]: submittedAt === null ? undefined : formatMoment(submittedAt),
          [texts.completedAt]: completedAt === null ? undefined : formatMoment(completedAt),
          [texts.invoice]: <Link to={`/invoices/${submission.invoiceId}`}>{texts.openInvoice}</Link>,
        }}
      />
      {errorMessage !== null && (
        <p className={controls['notice']}>
          <code>{errorCode}</code> <ForeignText>{errorMessage}</ForeignText>
        </p>
      )}
      {warnings.length > 0 && (
        <section className={controls['notice']}>
          <h2>{texts.warnings}</h2>
          <ul>
            {warnings.map(({ code, message }) => (
              <li key={code}>
                <ForeignText>{message}</ForeignText>
              </li>
            ))}
          </ul>
        </section>
      )}
      {submission.verificationUrl !== null && (
        <p>
          <a href={submission.verificationUrl} target="_blank" rel="noopener noreferrer">
            {texts.verify}
          </a>
        </p>
      )}
    </>
  );
}

function SubmissionActs({ path, submission }: { readonly path: SubmissionPath; readonly submission: KsefSubmission }) {
  const maySubmit = may(useCaller(), rights.submitKsef);
  return (
    <div className={controls['toolbar']}>
      {submission.upoReferenceNumber !== null && (
        <ActButton
          refreshes={[]}
          act={async () => {
            const route = '/ksef-connections/{connectionId}/submissions/{submissionId}/upo';
            const { data, headers } = await client.file(route, { path });
            return texts.saved(saveFile(data, headers, `${submission.ksefNumber ?? submission.id}-upo.xml`));
          }}
        >
          {texts.upo}
        </ActButton>
      )}
      {submission.status === 'QUEUED' && maySubmit && (
        <ActButton
          refreshes={[KSEF]}
          act={async () => {
            await client.post('/ksef-connections/{connectionId}/submissions/{submissionId}/cancel', { path });
            return texts.canceled;
          }}
        >
          {texts.cancel}
        </ActButton>
      )}
    </div>
  );
}

function Attempts({ path, status }: { readonly path: SubmissionPath; readonly status: KsefSubmission['status'] }) {
  return (
    <section>
      <h2 id="attempts">{texts.attempts}</h2>
      <Loaded query={useAttempts(path, status)}>
        {(attempts) =>
          attempts.length === 0 ? (
            <p>{texts.noAttempts}</p>
          ) : (
            <Rows
              labelledBy="attempts"
              rows={attempts}
              keyOf={({ startedAt }, index) => `${startedAt} ${index}`}
              columns={[
                [texts.startedAt, ({ startedAt }) => formatMoment(startedAt)],
                [texts.session, ({ sessionReferenceNumber }) => sessionReferenceNumber ?? '–'],
                [
                  texts.steps,
                  ({ steps }) => (
                    <ul>
                      {steps.map(({ name, at, code }, index) => (
                        <li key={`${name} ${index}`}>
                          {texts.step(formatMoment(at), name, code === null ? '' : `${code}`)}
                        </li>
                      ))}
                    </ul>
                  ),
                ],
              ]}
            />
          )
        }
      </Loaded>
    </section>
  );
}
