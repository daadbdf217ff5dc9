import type { Confirmation } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { showLine } from '@invoicecontrol/values/readable-text';
import { contentOf, escapeHtml, sourceOf } from '../../http/response/html.js';
import type { Reply } from '../../http/response/reply.js';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color:#1a1a1a}' +
  'dt{color:#555}dd{margin:0 0 .75rem;font-weight:600;overflow-wrap:anywhere}' +
  'button{font:inherit;padding:.5rem 1.25rem;margin-right:.75rem;cursor:pointer}';

/**
 * Maximum length of a name on the confirmation page of an ERP, including the ellipsis. Names that earlier releases
 * stored may contain invisible characters. These are shown by their code points, which makes the name longer.
 */
const NAME_LENGTH_MAX = 201;

/**
 * Returns the page on which a user sees the ERP company and the organization that would be connected to it (ERP
 * reference, section 7.6). The page has no script, and its form can be sent only to this origin.
 */
export function confirmationPage({
  confirmation,
  workspaceName,
  companyName,
  tenantName,
  providerName,
  returnOrigin,
  actionPath,
}: Confirmation): Reply {
  const rows = [
    ['Workspace', workspaceName],
    ['Company', companyName],
    [providerName, tenantName],
  ].map(
    ([label = '', name = '']) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(showLine(name, NAME_LENGTH_MAX))}</dd>`,
  );
  const provider = escapeHtml(providerName);
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Connect ${provider}</title><style>${STYLE}</style></head>
<body>
<h1>Connect ${provider}?</h1>
<p>Vendors, bills, orders and payments of this company will be read and kept in step with the workspace. If you do not know the workspace, cancel.</p>
<dl>${rows.join('')}</dl>
<form method="post" action="${escapeHtml(actionPath)}">
<input type="hidden" name="confirmation" value="${escapeHtml(confirmation)}">
<button type="submit" name="decision" value="connect">Connect</button>
<button type="submit" name="decision" value="cancel">Cancel</button>
</form>
</body>
</html>
`;
  return {
    status: 200,
    content: contentOf(html),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // Browsers apply the directive form-action also to a redirect that follows the form of the confirmation page, so
      // the origin of the redirect must be allowed.
      'Content-Security-Policy': `default-src 'none'; style-src ${sourceOf(STYLE)}; form-action 'self' ${returnOrigin}; frame-ancestors 'none'; base-uri 'none'`,
    },
  };
}
