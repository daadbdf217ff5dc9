import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable, Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { KsefTag, SubmissionTag } from './ksef-tag.js';
import { KSEF, useInboxRuns, useKsefConnection, useSubmissions } from './queries.js';
import type { KsefConnection } from './queries.js';
import { texts } from './texts.js';

interface Props {
  readonly connection: KsefConnection;
}

export default function KsefConnectionPage({ connectionId }: { readonly connectionId: string }) {
  return (
    <Page title={texts.connection} right={rights.readKsef} back={{ to: '/ksef', text: texts.back }}>
      <LoadedConnection connectionId={connectionId} />
    </Page>
  );
}

function LoadedConnection({ connectionId }: { readonly connectionId: string }) {
  return (
    <Loaded query={useKsefConnection(connectionId)}>
      {(connection) => (
        <>
          <ConnectionFacts connection={connection} />
          <ConnectionActs connection={connection} />
          <Inbox connection={connection} />
          <Submissions connection={connection} />
        </>
      )}
    </Loaded>
  );
}

function ConnectionFacts({ connection }: Props) {
  const { contextNipMasked, companyName, environment, status, authentication, warnings } = connection;
  const { certificateExpiresAt, lastTestedAt, lastErrorMessage } = connection;
  return (
    <>
      <Facts
        facts={{
          [texts.nip]: contextNipMasked,
          [texts.company]: companyName === undefined ? undefined : <ForeignText>{companyName}</ForeignText>,
          [texts.environment]: texts.environments[environment],
          [texts.status]: <KsefTag status={status} />,
          [texts.authentication]: texts.authentications[authentication],
          [texts.expires]: certificateExpiresAt === null ? undefined : formatMoment(certificateExpiresAt),
          [texts.tested]: lastTestedAt === null ? undefined : formatMoment(lastTestedAt),
          [texts.created]: formatMoment(connection.createdAt),
        }}
      />
      {lastErrorMessage !== null && (
        <section className={controls['notice']}>
          <h2>{texts.error}</h2>
          <p>
            <ForeignText>{lastErrorMessage}</ForeignText>
          </p>
        </section>
      )}
      {warnings.length > 0 && (
        <section className={controls['notice']}>
          <h2>{texts.warnings}</h2>
          <ul>
            {warnings.map(({ code, message, at }) => (
              <li key={code}>
                {formatMoment(at)}: <ForeignText>{message}</ForeignText>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function ConnectionActs({ connection: { id } }: Props) {
  const mayWrite = may(useCaller(), rights.writeKsef);
  const [isRemoving, setRemoving] = useState(false);
  const [, navigate] = useLocation();
  const path = { connectionId: id };
  if (!mayWrite) return null;
  return (
    <div className={controls['toolbar']}>
      <ActButton
        refreshes={[KSEF]}
        act={async () => {
          const { data } = await client.post('/ksef-connections/{connectionId}/test', { path });
          return data.status === 'CONNECTED' ? texts.testOk : texts.testFailed;
        }}
      >
        {texts.test}
      </ActButton>
      <Button onPress={() => setRemoving(true)}>{texts.remove}</Button>
      {isRemoving && (
        <FormDialog
          title={texts.removeTitle}
          text={<p>{texts.removeText}</p>}
          submit={texts.remove}
          fields={{}}
          act={async () => {
            await client.delete('/ksef-connections/{connectionId}', { path });
            navigate('/ksef');
          }}
          refreshes={[KSEF]}
          onClose={() => setRemoving(false)}
        />
      )}
    </div>
  );
}

function Inbox({ connection }: Props) {
  const { inbox } = connection;
  return (
    <section>
      <h2>{texts.inbox}</h2>
      <Facts
        facts={{
          [texts.inboxState]: inbox.enabled ? texts.on : texts.off,
          [texts.inboxFrom]: inbox.from === null ? undefined : formatDay(inbox.from),
          [texts.through]: inbox.receivedThrough === null ? undefined : formatMoment(inbox.receivedThrough),
          [texts.lastRun]: inbox.lastRunAt === null ? undefined : formatMoment(inbox.lastRunAt),
          [texts.received]: inbox.invoicesReceived,
          [texts.error]:
            inbox.lastErrorMessage === null ? undefined : <ForeignText>{inbox.lastErrorMessage}</ForeignText>,
        }}
      />
      <InboxActs connection={connection} />
      <Refusals connection={connection} />
      <InboxRuns connection={connection} />
    </section>
  );
}

function InboxActs({ connection: { id, inbox } }: Props) {
  const mayWrite = may(useCaller(), rights.writeKsef);
  const [isAsked, setAsked] = useState(false);
  const path = { connectionId: id };
  if (!mayWrite) return null;
  return (
    <div className={controls['toolbar']}>
      {inbox.enabled ? (
        <>
          <ActButton
            refreshes={[KSEF]}
            act={async () => {
              await client.post('/ksef-connections/{connectionId}/inbox/runs', { path });
              return texts.runStarted;
            }}
          >
            {texts.run}
          </ActButton>
          <ActButton
            refreshes={[KSEF]}
            act={async () => {
              await client.patch('/ksef-connections/{connectionId}', { path, body: { inbox: { enabled: false } } });
              return texts.inboxStopped;
            }}
          >
            {texts.inboxOff}
          </ActButton>
        </>
      ) : (
        <Button onPress={() => setAsked(true)}>{texts.inboxOn}</Button>
      )}
      {isAsked && (
        <FormDialog
          title={texts.inboxOn}
          submit={texts.save}
          fields={{ from: { label: texts.inboxFrom, help: texts.inboxFromHelp, kind: 'day', isRequired: false } }}
          act={({ from }) => {
            const body = { inbox: { enabled: true, ...(from === '' ? {} : { from }) } };
            return client.patch('/ksef-connections/{connectionId}', { path, body });
          }}
          refreshes={[KSEF]}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

function Refusals({ connection: { id, inbox } }: Props) {
  const mayWrite = may(useCaller(), rights.writeKsef);
  if (inbox.refused.length === 0) return null;
  return (
    <>
      <h3 id="refusals">{texts.refusals}</h3>
      <Rows
        labelledBy="refusals"
        rows={inbox.refused}
        keyOf={({ ksefNumber, role }) => `${ksefNumber} ${role}`}
        columns={[
          [
            texts.number,
            ({ ksefNumber }) => (
              <>
                <code>{ksefNumber}</code>{' '}
                {mayWrite && (
                  <ActButton
                    refreshes={[KSEF]}
                    act={async () => {
                      const path = { connectionId: id, ksefNumber };
                      await client.delete('/ksef-connections/{connectionId}/inbox/refused/{ksefNumber}', { path });
                      return texts.forgotten;
                    }}
                  >
                    {texts.forget}
                  </ActButton>
                )}
              </>
            ),
          ],
          [texts.refusalReason, ({ reason }) => <ForeignText>{reason}</ForeignText>],
          [texts.lastRun, ({ lastAttemptAt }) => formatMoment(lastAttemptAt)],
        ]}
      />
    </>
  );
}

function InboxRuns({ connection: { id } }: Props) {
  return (
    <>
      <h3 id="runs">{texts.runs}</h3>
      <Loaded query={useInboxRuns(id)}>
        {(runs) =>
          runs.length === 0 ? (
            <p>{texts.noRuns}</p>
          ) : (
            <Rows
              labelledBy="runs"
              rows={runs}
              keyOf={(run) => run.id}
              columns={[
                [texts.startedAt, ({ startedAt }) => formatMoment(startedAt)],
                [texts.status, ({ status }) => texts.runStatuses[status]],
                [texts.received, ({ received }) => received],
                [texts.repeated, ({ repeated }) => repeated],
                [texts.refused, ({ refused }) => refused.length],
                [
                  texts.error,
                  ({ errorMessage }) => (errorMessage === null ? '–' : <ForeignText>{errorMessage}</ForeignText>),
                ],
              ]}
            />
          )
        }
      </Loaded>
    </>
  );
}

function Submissions({ connection: { id } }: Props) {
  const maySubmit = may(useCaller(), rights.submitKsef);
  const [isAsked, setAsked] = useState(false);
  const [outcome, setOutcome] = useState<readonly { readonly invoiceId: string; readonly message: string }[]>();
  const [done, setDone] = useState(0);
  return (
    <>
      {maySubmit && (
        <div className={controls['toolbar']}>
          <Button onPress={() => setAsked(true)}>{texts.submit}</Button>
        </div>
      )}
      <p role="status">{outcome === undefined ? '' : texts.submitted(done, outcome.length)}</p>
      {outcome !== undefined && outcome.length > 0 && (
        <ul className={controls['notice']}>
          {outcome.map(({ invoiceId, message }) => (
            <li key={invoiceId}>
              <code>{invoiceId}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      <DataTable
        title={texts.submissions}
        list={useSubmissions(id)}
        empty={texts.noSubmissions}
        keyOf={(submission) => submission.id}
        columns={[
          [
            texts.startedAt,
            ({ id: submissionId, createdAt }) => (
              <Link to={`/ksef/${id}/submissions/${submissionId}`}>{formatMoment(createdAt)}</Link>
            ),
          ],
          [texts.status, ({ status }) => <SubmissionTag status={status} />],
          [texts.number, ({ ksefNumber }) => ksefNumber ?? '–'],
          [texts.nextStep, ({ nextStep }) => nextStep],
        ]}
      />
      {isAsked && (
        <FormDialog
          title={texts.submit}
          text={<p>{texts.submitText}</p>}
          submit={texts.submit}
          fields={{ ids: { label: texts.ids, kind: 'paragraphs' } }}
          act={async ({ ids }) => {
            const path = { connectionId: id };
            const body = { invoice_ids: ids.split(/\s+/) };
            const { items } = (await client.post('/ksef-connections/{connectionId}/submissions/bulk', { path, body }))
              .data;
            const refused = items.flatMap(({ invoiceId, error }) =>
              error === null ? [] : [{ invoiceId, message: error.message }],
            );
            setOutcome(refused);
            setDone(items.length - refused.length);
          }}
          refreshes={[KSEF]}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
