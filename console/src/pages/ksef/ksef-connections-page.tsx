import { useState } from 'react';
import { Link } from 'wouter';
import type { Caller } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { KsefTag } from './ksef-tag.js';
import { KsefDialog } from './ksef-dialog.js';
import { useKsefConnections } from './queries.js';
import type { KsefConnection } from './queries.js';
import { texts } from './texts.js';

export default function KsefConnectionsPage() {
  return (
    <Page title={texts.title} right={rights.readKsef} intro={texts.intro}>
      <KsefConnections />
    </Page>
  );
}

function KsefConnections() {
  const caller = useCaller();
  const [isConnecting, setConnecting] = useState(false);
  return (
    <>
      {may(caller, rights.writeKsef) && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setConnecting(true)}>
            {texts.connect}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useKsefConnections()}
        empty={texts.empty}
        columns={columnsOf(caller)}
        keyOf={({ id }) => id}
      />
      {isConnecting && <KsefDialog onClose={() => setConnecting(false)} />}
    </>
  );
}

function columnsOf({ companies }: Caller): readonly Column<KsefConnection>[] {
  return [
    [texts.nip, ({ id, contextNipMasked }) => <Link to={`/ksef/${id}`}>{contextNipMasked}</Link>],
    [texts.company, ({ companyId }) => companies.find(({ id }) => id === companyId)?.name ?? '–'],
    [texts.environment, ({ environment }) => texts.environments[environment]],
    [texts.status, ({ status }) => <KsefTag status={status} />],
    [texts.inboxState, ({ inbox }) => (inbox.enabled ? texts.on : texts.off)],
    [texts.tested, ({ lastTestedAt }) => (lastTestedAt === null ? '–' : formatMoment(lastTestedAt))],
  ];
}
