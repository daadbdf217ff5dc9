import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { showInvisible } from '../../format/visible-text.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { MEMBERS, roleField, useMembers } from './queries.js';
import type { Role } from './queries.js';
import { RowActs } from './row-acts.js';
import { texts as all } from './texts.js';

const texts = all.members;
type Member = Schemas['Member'];
const refreshes = [MEMBERS, 'assignees'];

export default function MembersPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration} intro={texts.intro}>
      <MemberList />
    </Page>
  );
}

function MemberList() {
  const mayChange = may(useCaller(), rights.administer);
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      {mayChange && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setInviting(true)}>
            {texts.invite}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useMembers()}
        empty={texts.empty}
        columns={mayChange ? [...columns, acts] : columns}
        keyOf={({ userId }) => userId}
      />
      {isInviting && (
        <FormDialog
          title={texts.invite}
          submit={texts.inviteSubmit}
          fields={{ email: { label: texts.email, kind: 'text' }, role: roleField('ANALYST') }}
          act={({ email, role }) => client.post('/members', { body: { email, role: role as Role } })}
          refreshes={refreshes}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  );
}

const columns: readonly Column<Member>[] = [
  [texts.email, ({ email }) => <ForeignText>{email}</ForeignText>],
  [all.name, ({ name }) => (name === null ? texts.noName : <ForeignText>{name}</ForeignText>)],
  [all.role, ({ role }) => role],
  [texts.status, ({ status }) => texts.statuses[status]],
  [all.created, ({ createdAt }) => formatMoment(createdAt)],
];

const acts: Column<Member> = [
  all.acts,
  (member) => (
    <RowActs
      item={member}
      name={showInvisible(member.email)}
      acts={[
        {
          text: all.change,
          dialog: ({ userId, role: before }, onClose) => (
            <FormDialog
              title={texts.changeTitle}
              submit={all.save}
              fields={{ role: roleField(before) }}
              act={({ role }) => client.patch('/members/{userId}', { path: { userId }, body: { role: role as Role } })}
              refreshes={refreshes}
              onClose={onClose}
            />
          ),
        },
        {
          text: all.remove,
          dialog: ({ userId, email }, onClose) => (
            <FormDialog
              title={texts.removeTitle(showInvisible(email))}
              text={<p>{texts.removeText}</p>}
              submit={all.remove}
              fields={{}}
              act={() => client.delete('/members/{userId}', { path: { userId } })}
              refreshes={refreshes}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  ),
];
