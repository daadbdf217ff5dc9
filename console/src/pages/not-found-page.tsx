import { Link } from 'wouter';
import { PageTitle } from '../controls/page-title.js';
import { messages } from '../messages/messages.js';

export function NotFoundPage() {
  return (
    <>
      <PageTitle>{messages.notFound.title}</PageTitle>
      <p>{messages.notFound.text}</p>
      <p>
        <Link to="/payment-runs">{messages.notFound.back}</Link>
      </p>
    </>
  );
}
