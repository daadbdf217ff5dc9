import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Caller } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { ConnectDialog } from './connect-dialog.js';
import { ErpTag } from './erp-tag.js';
import { useErpConnections } from './queries.js';
import type { ErpConnection } from './queries.js';
import { texts } from './texts.js';

export default function ErpConnectionsPage() {
  return (
    <Page title={texts.title} right={rights.readErp} intro={texts.intro}>
      <ErpConnections />
    </Page>
  );
}

function ErpConnections() {
  const caller = useCaller();
  const [search] = useSearchParams();
  const [isConnecting, setConnecting] = useState(false);
  // The consent of an ERP returns to this page with its outcome.
  const consent = texts.consent[search.get('status') ?? ''];
  return (
    <>
      {consent !== undefined && (
        <p role="status" className={controls['notice']}>
          {consent}
        </p>
      )}
      {may(caller, rights.writeErp) && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setConnecting(true)}>
            {texts.connect}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useErpConnections()}
        empty={texts.empty}
        columns={columnsOf(caller)}
        keyOf={({ id }) => id}
      />
      {isConnecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </>
  );
}

function columnsOf({ companies }: Caller): readonly Column<ErpConnection>[] {
  return [
    [texts.product, ({ id, product }) => <Link to={`/erp/${id}`}>{texts.products[product]}</Link>],
    [texts.company, ({ companyId }) => companies.find(({ id }) => id === companyId)?.name ?? '–'],
    [texts.status, (connection) => <ErpTag connection={connection} />],
    [texts.lastSuccess, ({ lastSuccessAt }) => (lastSuccessAt === null ? '–' : formatMoment(lastSuccessAt))],
    [texts.nextSync, ({ nextSyncAt }) => (nextSyncAt === null ? '–' : formatMoment(nextSyncAt))],
  ];
}
