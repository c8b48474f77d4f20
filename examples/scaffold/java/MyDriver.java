// A driver for isostress, made by `isostress scaffold java`.  It runs as it is, on a
// toy store; replace what is marked.  PIPE.md of isostress is the whole protocol.
//   isostress driver-test --driver='java MyDriver.java'
//   isostress scorecard --driver='java MyDriver.java'
// With a library: java -cp LIBRARY.jar MyDriver.java
import java.io.*;
import java.util.*;
import java.util.concurrent.*;

public class MyDriver {
  static final Map<Long, Long> store = new HashMap<>(), versions = new HashMap<>(); // REPLACE: the toy store
  static long clock = 0;

  static class Transaction { // REPLACE: one connection for each session
    final long start = clock;
    final Map<Long, Long> snapshot = new HashMap<>(store), writes = new HashMap<>();
  }

  static final Map<Long, Transaction> sessions = new ConcurrentHashMap<>();

  // many: this process serves all sessions, each with a thread of its own.  claims: what the manual promises:
  // none, rc, ra, cc, pc, si, ser or sser.  causes: codes, or words of messages, after which a commit
  // certainly had no effect.
  static final String HELLO = "\"isostress\":1,\"name\":\"mystore\",\"version\":\"toy 1.0\",\"many\":true,"
      + "\"levels\":[{\"name\":\"snapshot\",\"claims\":\"si\"}],\"causes\":{\"conflict\":\"write conflict\"}";

  // The members of the answer; what fails is an exception, nothing else.  REPLACE what is between case and break,
  // and take away `synchronized`, so that calls overlap.
  static synchronized String perform(Json m, long session) throws Exception {
    Transaction t = sessions.get(session);
    switch (m.text("do")) {
      case "hello": return HELLO;
      case "setup": // afterwards the keys 0 to keys - 1 hold 0
        store.clear();
        versions.clear();
        break;
      case "open": break; // a connection of its own, to m.text("place")
      case "close": case "rollback": // also where nothing is open
        sessions.remove(session);
        break;
      case "begin": // at m.text("level"), which is the name of one of hello's
        sessions.put(session, new Transaction());
        break;
      case "get": { // from the database, through the open transaction
        Long value = t.writes.getOrDefault(m.number("key"), t.snapshot.get(m.number("key")));
        return "\"value\":" + (value == null ? 0 : value);
      }
      case "put":
        t.writes.put(m.number("key"), m.number("value"));
        break;
      case "commit": // never again by itself: isostress tries again
        sessions.remove(session);
        for (Long key : t.writes.keySet())
          if (versions.getOrDefault(key, 0L) > t.start) throw new Exception("conflict");
        clock++;
        for (Map.Entry<Long, Long> e : t.writes.entrySet()) {
          store.put(e.getKey(), e.getValue());
          versions.put(e.getKey(), clock);
        }
        break;
      default: throw new Exception("unknown verb");
    }
    return "";
  }

  // A request: one object of texts and whole numbers.
  static class Json {
    private final Map<String, String> members = new HashMap<>();
    private final String line;
    private int at = 0;

    Json(String line) {
      this.line = line;
      while (at < line.length())
        if (line.charAt(at) != '"') at++;
        else {
          String name = quoted();
          at = line.indexOf(':', at) + 1;
          while (line.charAt(at) == ' ') at++;
          int first = at;
          if (line.charAt(at) == '"') members.put(name, quoted());
          else {
            while (",}".indexOf(line.charAt(at)) < 0) at++;
            members.put(name, line.substring(first, at).trim());
          }
        }
    }

    private String quoted() {
      StringBuilder text = new StringBuilder();
      for (at++; line.charAt(at) != '"'; at++)
        if (line.charAt(at) != '\\') text.append(line.charAt(at));
        else { // isostress escapes as \u0022 only
          text.append((char) Integer.parseInt(line.substring(at + 2, at + 6), 16));
          at += 5;
        }
      at++;
      return text.toString();
    }

    String text(String name) { return members.getOrDefault(name, ""); }
    long number(String name) { return Long.parseLong(members.getOrDefault(name, "0")); }

    static String quote(String text) {
      StringBuilder out = new StringBuilder("\"");
      for (char c : text.toCharArray())
        if (c >= ' ' && c != '"' && c != '\\') out.append(c);
        else out.append(String.format("\\u%04x", (int) c));
      return out.append('"').toString();
    }
  }

  static void answer(Json m, long session) {
    String members;
    try {
      members = perform(m, session);
    } catch (Exception e) {
      members = "\"fail\":" + Json.quote(String.valueOf(e.getMessage())) // of an SQLException: getSQLState()
          + ",\"code\":" + Json.quote(e.getClass().getSimpleName());
    }
    String line = "{\"id\":" + m.text("id") + (members.isEmpty() ? "" : "," + members) + "}";
    synchronized (System.out) {
      System.out.println(line);
      System.out.flush();
    }
  }

  public static void main(String[] args) throws Exception {
    Map<Long, ExecutorService> threads = new HashMap<>(); // a call that waits stops nobody
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      Json m = new Json(line);
      long session = m.number("session");
      threads.computeIfAbsent(session, s -> Executors.newSingleThreadExecutor()).submit(() -> answer(m, session));
    }
    System.exit(0);
  }
}
