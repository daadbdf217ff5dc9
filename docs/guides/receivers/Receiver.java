// Java 17 or newer, without libraries:
//   WEBHOOK_SECRET=whsec_... PORT=4100 java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Receiver {
  private static final int BODY_BYTES_MAX = 1 << 20;
  private static final long TOLERANCE_SECONDS = 300;

  private final byte[] secret;
  /**
   * In production, insert the id of the event into your database with a unique index, in the transaction that does
   * the work.
   */
  private final Set<String> handled = new HashSet<>();

  private Receiver(byte[] secret) {
    this.secret = secret;
  }

  private boolean isSigned(String eventId, String header, byte[] body) throws GeneralSecurityException {
    List<String> times = new ArrayList<>();
    List<String> signatures = new ArrayList<>();
    for (String entry : header.split(",")) {
      if (entry.startsWith("t=")) times.add(entry.substring(2));
      if (entry.startsWith("v1=")) signatures.add(entry.substring(3));
    }
    if (times.size() != 1 || !times.get(0).matches("[0-9]{1,12}")) return false;
    if (!eventId.matches("evt_[A-Za-z0-9_-]{1,124}")) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    mac.update((eventId + "." + times.get(0) + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(StandardCharsets.US_ASCII);
    boolean matches = false;
    for (String signature : signatures) {
      // There are two v1 for a day after a rotation; any may match. isEqual takes the same time wherever they differ.
      matches |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
    }
    return matches && Math.abs(Instant.now().getEpochSecond() - Long.parseLong(times.get(0))) <= TOLERANCE_SECONDS;
  }

  private void handle(String eventId, String json) {
    // Parse the event with your JSON library. If the work may take longer than 15 seconds, store the event here and do the work later.
    System.out.println("handled " + eventId + " " + json.length() + " characters");
  }

  private int receive(HttpExchange exchange) throws IOException, GeneralSecurityException {
    if (!exchange.getRequestMethod().equals("POST")) return 405;
    // Reads the raw bytes, before anything parses them. In Spring: @RequestBody byte[].
    byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
    if (body.length > BODY_BYTES_MAX) return 413;
    String eventId = headerOf(exchange, "svc-event-id");
    if (!isSigned(eventId, headerOf(exchange, "svc-signature"), body)) return 400;
    synchronized (handled) {
      if (!handled.contains(eventId)) {
        handle(eventId, new String(body, StandardCharsets.UTF_8));
        handled.add(eventId);
      }
    }
    return 204;
  }

  private static String headerOf(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  private void answer(HttpExchange exchange) throws IOException {
    int status = 500;
    try {
      status = receive(exchange);
    } catch (GeneralSecurityException | RuntimeException error) {
      // A delivery that fails now is sent again.
      System.err.println(error);
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  public static void main(String[] arguments) throws IOException {
    String secret = System.getenv().getOrDefault("WEBHOOK_SECRET", "").strip();
    // Without a secret anybody could sign.
    if (secret.isEmpty()) throw new IllegalStateException("WEBHOOK_SECRET is missing.");
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4100"));
    Receiver receiver = new Receiver(secret.getBytes(StandardCharsets.UTF_8));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", receiver::answer);
    server.start();
    System.out.println("listening on port " + server.getAddress().getPort());
  }
}
