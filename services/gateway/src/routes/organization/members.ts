import { roles } from '@invoicecontrol/api-key/rights';
import type { Assignee, Member } from '@invoicecontrol/contracts/organization/v1/member_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { email, LABEL_LENGTH_MAX, pathId, stated, text } from '../../http/description/fields.js';
import { listRequest, pageOf, pageQuery } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { publicRoute, route } from '../../http/description/route.js';

const role = z
  .enum(roles)
  .describe(
    'The role of the member: VIEWER (can read), ANALYST (can also review), ADMIN (can also manage) or OWNER (can do everything).',
  );

export const member = shown.record<Member>('Member')({
  userId: shown.id(EXAMPLE_IDS.assignee, 'The id of the member of the organization.'),
  email: shown.text('ann@example.com', 'The e-mail address of the member.'),
  name: shown.made(
    z.string().nullable().describe('The name of the member, or null if the invitation has not been accepted yet.'),
    ({ name }: Member) => (name === '' ? null : name),
    'Ann Example',
  ),
  role: shown.word(role, 'ANALYST'),
  status: shown.word(
    z
      .enum(['INVITED', 'ACTIVE'])
      .describe('The status of the member: INVITED (the invitation has not been accepted yet) or ACTIVE.'),
    'ACTIVE',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the member was invited.', 'createdTime'),
});

const assignee = shown.record<Assignee>('Assignee')({
  userId: shown.id(EXAMPLE_IDS.assignee, 'The id of the member to whom a finding can be assigned.'),
  name: shown.text('Ann Example', 'The name of the member, or the e-mail address of a member without a name.'),
});

const memberParams = z.object({ userId: pathId('assignee', 'member') });

export const listMembers = route({
  operation: 'listMembers',
  method: 'get',
  path: '/members',
  summary: 'List members and pending invitations, newest first',
  rpc: 'invoicecontrol.organization.v1.MemberService/ListMembers',
  access: { minimumRole: 'ADMIN', scope: 'organization:read', refusesTestKeys: true },
  query: pageQuery,
  responses: {
    200: {
      description: 'A page of members and pending invitations.',
      schema: pageOf('members and pending invitations', member.schema),
    },
  },
  async handle({ query }, { members }) {
    const list = listRequest('listMembers', query);
    const reply = await members.listMembers(list.request);
    return { status: 200, body: list.page(reply.members.map(member.present), reply.nextPageToken) };
  },
});

export const listAssignees = route({
  operation: 'listAssignees',
  method: 'get',
  path: '/assignees',
  summary: 'List the members to whom a finding can be assigned, newest first',
  rpc: 'invoicecontrol.organization.v1.MemberService/ListAssignees',
  access: { minimumRole: 'ANALYST', scope: 'findings:assign' },
  query: pageQuery,
  responses: {
    200: { description: 'A page of members without pending invitations.', schema: pageOf('members', assignee.schema) },
  },
  async handle({ query }, { members }) {
    const list = listRequest('listAssignees', query);
    const reply = await members.listAssignees(list.request);
    return { status: 200, body: list.page(reply.assignees.map(assignee.present), reply.nextPageToken) };
  },
});

export const inviteMember = route({
  operation: 'inviteMember',
  method: 'post',
  path: '/members',
  summary: 'Invite a member by e-mail',
  description:
    'Stores an invitation to the organization and sends the e-mail to the invited person within a minute. A repeated request is refused with 409 while the invitation is open.',
  rpc: 'invoicecontrol.organization.v1.MemberService/InviteMember',
  access: { minimumRole: 'ADMIN', scope: 'organization:write', refusesTestKeys: true },
  body: z
    .strictObject({ email: email().describe('The e-mail address to which the invitation is sent.'), role })
    .meta({ id: 'MemberInvitation' })
    .register(examples, { example: { email: 'ann@example.com', role: 'ANALYST' } }),
  responses: {
    201: {
      description: 'The invited member. Only the e-mail contains the invitation token, which is valid for seven days.',
      schema: member.schema,
      headers: ['Location'],
    },
  },
  refusals: [409],
  async handle({ body }, { members }) {
    const reply = await members.inviteMember({
      email: body.email.trim(),
      role: body.role,
    });
    const invited = member.present(stated(reply.member));
    return { status: 201, body: invited, headers: { Location: `/v1/members/${invited.userId}` } };
  },
});

/** An invited person has no API key yet, so the token in the e-mail authorizes the request. */
export const acceptInvitation = publicRoute({
  operation: 'acceptInvitation',
  method: 'post',
  path: '/members/accept',
  summary: 'Accept an invitation to become a member',
  description: 'Makes an invited person a member. The token from the invitation e-mail authorizes the request.',
  rpc: 'invoicecontrol.organization.v1.MemberService/AcceptInvitation',
  access: 'public',
  body: z
    .strictObject({
      token: text().describe('The token from the invitation e-mail. The token can be used only once.'),
      name: text(LABEL_LENGTH_MAX).describe('The name of the person who accepts the invitation and becomes a member.'),
    })
    .meta({ id: 'InvitationAcceptance' })
    .register(examples, { example: { token: 'the token of the mail', name: 'Ann Example' } }),
  responses: { 200: { description: 'The new member of the organization.', schema: member.schema } },
  refusals: [401, 409],
  async handle({ body }, { members }) {
    const reply = await members.acceptInvitation({ token: body.token, name: body.name.trim() });
    return { status: 200, body: member.present(stated(reply.member)) };
  },
});

export const getMember = route({
  operation: 'getMember',
  method: 'get',
  path: '/members/:userId',
  summary: 'Read a member',
  rpc: 'invoicecontrol.organization.v1.MemberService/GetMember',
  access: { minimumRole: 'ADMIN', scope: 'organization:read', refusesTestKeys: true },
  params: memberParams,
  responses: { 200: { description: 'The member that was requested.', schema: member.schema } },
  async handle({ params }, { members }) {
    const reply = await members.getMember({ userId: params.userId });
    return { status: 200, body: member.present(stated(reply.member)) };
  },
});

export const updateMember = route({
  operation: 'updateMember',
  method: 'patch',
  path: '/members/:userId',
  summary: 'Change the role of a member',
  rpc: 'invoicecontrol.organization.v1.MemberService/UpdateMember',
  access: { minimumRole: 'ADMIN', scope: 'organization:write', refusesTestKeys: true },
  params: memberParams,
  body: z
    .strictObject({ role })
    .meta({ id: 'MemberChange' })
    .register(examples, { example: { role: 'ADMIN' } }),
  responses: { 200: { description: 'The updated member of the organization.', schema: member.schema } },
  refusals: [409],
  async handle({ params, body }, { members }) {
    const reply = await members.updateMember({
      userId: params.userId,
      role: body.role,
    });
    return { status: 200, body: member.present(stated(reply.member)) };
  },
});

export const removeMember = route({
  operation: 'removeMember',
  method: 'delete',
  path: '/members/:userId',
  summary: 'Remove a member or revoke an invitation',
  rpc: 'invoicecontrol.organization.v1.MemberService/RemoveMember',
  access: { minimumRole: 'ADMIN', scope: 'organization:write', refusesTestKeys: true },
  params: memberParams,
  responses: { 204: { description: 'The member has been removed, or the invitation has been revoked.' } },
  refusals: [409],
  async handle({ params }, { members }) {
    await members.removeMember({
      userId: params.userId,
    });
    return { status: 204 };
  },
});
