import type { Schemas } from '@invoicecontrol/client/browser';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { Tag } from '../../controls/tag.js';
import { formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import { rights } from '../../rights.js';
import { useNotifications } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.notifications;
type Notification = Schemas['Notification'];

export default function NotificationsPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration} intro={texts.intro}>
      <NotificationList />
    </Page>
  );
}

function NotificationList() {
  return (
    <DataTable
      title={texts.title}
      hidesTitle
      list={useNotifications()}
      empty={texts.empty}
      columns={columns}
      keyOf={({ id }) => id}
    />
  );
}

function Recipient({ userId }: Pick<Notification, 'userId'>) {
  const { nameOf } = usePeople();
  return nameOf(`USER:${userId}`);
}

const tones = { QUEUED: 'open', SENT: 'good', FAILED: 'bad' } as const;

const columns: readonly Column<Notification>[] = [
  [texts.subject, ({ subject }) => <ForeignText>{subject}</ForeignText>],
  [texts.to, ({ userId }) => <Recipient userId={userId} />],
  [texts.status, ({ status }) => <Tag tone={tones[status]}>{texts.statuses[status]}</Tag>],
  [all.created, ({ createdAt }) => formatMoment(createdAt)],
];
