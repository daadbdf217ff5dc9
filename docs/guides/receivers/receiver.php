<?php
// PHP 8.0 or newer, with the development server of PHP:
//   WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4100 receiver.php
declare(strict_types=1);

const BODY_BYTES_MAX = 1024 ** 2;
const TOLERANCE_SECONDS = 300;

function isSigned(string $secret, string $eventId, string $header, string $body): bool
{
    $times = [];
    $signatures = [];
    foreach (explode(',', $header) as $entry) {
        [$name, $value] = array_pad(explode('=', $entry, 2), 2, '');
        if ($name === 't') {
            $times[] = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    if (count($times) !== 1 || preg_match('/^[0-9]{1,12}$/D', $times[0]) !== 1) {
        return false;
    }
    if (preg_match('/^evt_[A-Za-z0-9_-]{1,124}$/D', $eventId) !== 1) {
        return false;
    }
    $expected = hash_hmac('sha256', $eventId . '.' . $times[0] . '.' . $body, $secret);
    $matches = false;
    foreach ($signatures as $signature) {
        // There are two v1 for a day after a rotation; any may match. hash_equals takes the same time wherever they differ.
        $matches = hash_equals($expected, $signature) || $matches;
    }
    return $matches && abs(time() - (int) $times[0]) <= TOLERANCE_SECONDS;
}

function handle(array $event): void
{
    // If the work may take longer than 15 seconds, store the event here and do the work later.
    error_log('handled ' . $event['id'] . ' ' . $event['type']);
}

function receive(): int
{
    $secret = trim((string) getenv('WEBHOOK_SECRET'));
    if ($secret === '') {
        // Without a secret anybody could sign.
        error_log('WEBHOOK_SECRET is missing.');
        return 500;
    }
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    // Reads the raw bytes, before anything parses them. In Laravel and Symfony: $request->getContent().
    $body = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX + 1);
    if (strlen($body) > BODY_BYTES_MAX) {
        return 413;
    }
    $eventId = $_SERVER['HTTP_SVC_EVENT_ID'] ?? '';
    if (!isSigned($secret, $eventId, $_SERVER['HTTP_SVC_SIGNATURE'] ?? '', $body)) {
        return 400;
    }
    // In production, insert the id of the event into your database with a unique index, in the transaction that does the
    // work. PHP keeps nothing in memory for the next request, so this example creates a file for each event; `x` lets only
    // one request create the file.
    $directory = getenv('WEBHOOK_EVENTS_DIR') ?: sys_get_temp_dir() . '/webhook-events';
    @mkdir($directory, 0700, true);
    $handled = @fopen("$directory/$eventId", 'x');
    if ($handled === false) {
        return is_file("$directory/$eventId") ? 204 : 500;
    }
    try {
        handle(json_decode($body, true, 512, JSON_THROW_ON_ERROR));
        return 204;
    } catch (Throwable $error) {
        // A delivery that fails now is sent again.
        error_log($error->getMessage());
        unlink("$directory/$eventId");
        return 500;
    }
}

http_response_code(receive());
