import { useState } from 'react';
import { useLocation } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { SecretOnce } from '../../controls/secret-once.js';
import { Tag } from '../../controls/tag.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Deliveries } from './deliveries.js';
import { eventTypes, useWebhook, WEBHOOKS } from './queries.js';
import type { WebhookWithUse } from './queries.js';
import { texts } from './texts.js';
import { WebhookForm } from './webhook-form.js';

export default function WebhookPage({ webhookId }: { readonly webhookId: string }) {
  return (
    <Page title={texts.webhook} right={rights.readWebhooks} back={{ to: '/webhooks', text: texts.back }}>
      <LoadedWebhook webhookId={webhookId} />
    </Page>
  );
}

function LoadedWebhook({ webhookId }: { readonly webhookId: string }) {
  return (
    <Loaded query={useWebhook(webhookId)}>
      {(webhook) => (
        <>
          <WebhookFacts webhook={webhook} />
          <WebhookActs webhook={webhook} />
          <Deliveries title={texts.deliveries} webhookId={webhook.id} />
        </>
      )}
    </Loaded>
  );
}

function WebhookFacts({ webhook }: { readonly webhook: WebhookWithUse }) {
  const { url, status, events, createdAt, lastDay } = webhook;
  return (
    <Facts
      facts={{
        [texts.url]: <ForeignText>{url}</ForeignText>,
        [texts.status]: <Tag tone={status === 'ACTIVE' ? 'good' : 'quiet'}>{texts.statuses[status]}</Tag>,
        [texts.events]: events.join(', '),
        [texts.created]: formatMoment(createdAt),
        [texts.lastDay]: texts.lastDayText(lastDay.delivered, lastDay.failed),
        [texts.p95]: lastDay.p95Ms === null ? undefined : texts.ms(lastDay.p95Ms),
      }}
    />
  );
}

type Asked = 'EDIT' | 'REMOVE' | 'ROTATE' | 'TEST' | 'REPLAY';

/** What a person does with a webhook, as far as the person may. */
function WebhookActs({ webhook }: { readonly webhook: WebhookWithUse }) {
  const caller = useCaller();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const [outcome, setOutcome] = useState('');
  if (!may(caller, rights.writeWebhooks)) return null;
  const path = { webhookId: webhook.id };
  const isActive = webhook.status === 'ACTIVE';
  const close = (): void => setAsked(undefined);
  const dialog = { refreshes: [WEBHOOKS], onClose: close };
  return (
    <>
      <div className={controls['toolbar']}>
        <Button onPress={() => setAsked('TEST')}>{texts.test}</Button>
        <Button onPress={() => setAsked('EDIT')}>{texts.edit}</Button>
        <ActButton
          refreshes={[WEBHOOKS]}
          act={async () => {
            await client.patch('/webhooks/{webhookId}', { path, body: { status: isActive ? 'DISABLED' : 'ACTIVE' } });
            return isActive ? texts.disabled : texts.enabled;
          }}
        >
          {isActive ? texts.disable : texts.enable}
        </ActButton>
        {may(caller, rights.administerWebhooks) && (
          <>
            <Button onPress={() => setAsked('REPLAY')}>{texts.replay}</Button>
            <Button onPress={() => setAsked('ROTATE')}>{texts.rotate}</Button>
          </>
        )}
        <Button onPress={() => setAsked('REMOVE')}>{texts.remove}</Button>
      </div>
      <p role="status">{outcome}</p>
      {asked === 'EDIT' && (
        <WebhookForm
          title={texts.editTitle}
          submit={texts.save}
          url={webhook.url}
          events={webhook.events}
          act={(body) => client.patch('/webhooks/{webhookId}', { path, body })}
          onClose={close}
        />
      )}
      {asked === 'TEST' && (
        <FormDialog
          {...dialog}
          title={texts.testTitle}
          text={<p>{texts.testText}</p>}
          submit={texts.testSubmit}
          fields={{
            type: {
              label: texts.events,
              kind: 'choice',
              value: eventTypes[0],
              options: eventTypes.map((one) => [one, one]),
            },
          }}
          act={({ type }) => client.post('/webhooks/{webhookId}/test', { path, body: { type } })}
        />
      )}
      {asked === 'REPLAY' && (
        <FormDialog
          {...dialog}
          title={texts.replay}
          submit={texts.replaySubmit}
          fields={{ since: { label: texts.replaySince, help: texts.replayHelp, kind: 'day' } }}
          act={async ({ since }) => {
            const body = { since: new Date(`${since}T00:00:00`).toISOString() };
            const { data } = await client.post('/webhooks/{webhookId}/replay', { path, body });
            setOutcome(texts.replayed(data.count));
          }}
        />
      )}
      {asked === 'ROTATE' && (
        <FormDialog
          {...dialog}
          title={texts.rotateTitle}
          text={<p>{texts.rotateText}</p>}
          submit={texts.rotate}
          fields={{
            old: {
              label: texts.rotateNow,
              kind: 'choice',
              value: 'keep',
              options: [
                ['keep', texts.rotateKeep],
                ['end', texts.rotateEnd],
              ],
            },
          }}
          act={async ({ old }) => {
            const body = { revoke_previous: old === 'end' };
            setSecret((await client.post('/webhooks/{webhookId}/rotate-secret', { path, body })).data.secret);
          }}
        />
      )}
      {asked === 'REMOVE' && (
        <FormDialog
          {...dialog}
          title={texts.removeTitle}
          text={<p>{texts.removeText}</p>}
          submit={texts.remove}
          fields={{}}
          act={async () => {
            await client.delete('/webhooks/{webhookId}', { path });
            navigate('/webhooks');
          }}
        />
      )}
      {secret !== undefined && (
        <SecretOnce
          title={texts.secretTitle}
          text={texts.secretText}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
