import { useState } from 'react';
import { Checks } from '../../controls/checks.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { eventTypes, WEBHOOKS } from './queries.js';
import { texts } from './texts.js';

interface Props {
  readonly title: string;
  readonly submit: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly act: (webhook: { url: string; events: string[] }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the address of a webhook and the events that it receives. */
export function WebhookForm({ title, submit, url, events, act, onClose }: Props) {
  const [chosen, setChosen] = useState(events);
  return (
    <FormDialog
      title={title}
      submit={submit}
      fields={{ url: { label: texts.url, help: texts.urlHelp, value: url, kind: 'text' } }}
      act={(values) => act({ url: values.url, events: [...chosen] })}
      refreshes={[WEBHOOKS]}
      fault={chosen.length === 0 ? texts.noEvents : undefined}
      onClose={onClose}
    >
      <Checks
        label={texts.events}
        options={eventTypes.map((type) => [type, type] as const)}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
