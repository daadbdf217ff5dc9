import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { SecretOnce } from '../../controls/secret-once.js';
import { Tag } from '../../controls/tag.js';
import { formatMoment } from '../../format/moment.js';
import { client } from '../../client.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Deliveries } from './deliveries.js';
import { useWebhooks } from './queries.js';
import type { Webhook } from './queries.js';
import { texts } from './texts.js';
import { WebhookForm } from './webhook-form.js';

export default function WebhooksPage() {
  return (
    <Page title={texts.title} right={rights.readWebhooks} intro={texts.intro}>
      <WebhookList />
      <Deliveries title={texts.allDeliveries} webhookId={undefined} />
    </Page>
  );
}

function WebhookList() {
  const mayWrite = may(useCaller(), rights.writeWebhooks);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {mayWrite && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setCreating(true)}>
            {texts.create}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useWebhooks()}
        empty={texts.none}
        columns={columns}
        keyOf={({ id }) => id}
      />
      {isCreating && (
        <WebhookForm
          title={texts.create}
          submit={texts.createSubmit}
          url=""
          events={[]}
          act={async (body) => setSecret((await client.post('/webhooks', { body })).data.secret)}
          onClose={() => setCreating(false)}
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

const columns: readonly Column<Webhook>[] = [
  [
    texts.url,
    ({ id, url }) => (
      <Link to={`/webhooks/${id}`}>
        <ForeignText>{url}</ForeignText>
      </Link>
    ),
  ],
  [texts.status, ({ status }) => <Tag tone={status === 'ACTIVE' ? 'good' : 'quiet'}>{texts.statuses[status]}</Tag>],
  [texts.events, ({ events }) => events.join(', ')],
  [texts.created, ({ createdAt }) => formatMoment(createdAt)],
];
