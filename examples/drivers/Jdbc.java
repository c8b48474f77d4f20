// A driver of isostress for H2 and HSQLDB by JDBC, one connection and one thread a session.  One file, no build:
//   isostress run --driver="java -cp h2.jar examples/drivers/Jdbc.java h2" "h2:jdbc:h2:mem:t;DB_CLOSE_DELAY=-1"
//   isostress run --driver="java -cp hsqldb.jar examples/drivers/Jdbc.java hsqldb" "hsqldb:jdbc:hsqldb:mem:t;hsqldb.tx=mvcc"
import java.io.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;

public class Jdbc {
  static final Map<String, String> HELLO = Map.of("h2", """
      "isostress":1, "name":"h2", "version":"H2 by JDBC", "many":true,
      "levels":[{"name":"serializable", "claims":"si"}, {"name":"snapshot", "claims":"si"},
        {"name":"repeatable read", "claims":"rc"}, {"name":"read committed", "claims":"rc"}],
      "sql":{"returning":"delta", "lock":" FOR UPDATE", "ignore":["", " ON CONFLICT DO NOTHING"]},
      "causes":{"40001":"deadlock", "HYT00":"lock timeout", "23505":"constraint", "90131":"write conflict"}""",
      "hsqldb", """
      "isostress":1, "name":"hsqldb", "version":"HSQLDB by JDBC", "many":true,
      "levels":[{"name":"serializable", "claims":"si"}, {"name":"read committed", "claims":"rc"}],
      "sql":{},
      "causes":{"40001":"serialization failure", "23505":"constraint"}""");
  static final Set<String> LEVELS = Set.of("serializable", "snapshot", "repeatable read", "read committed");
  static String name;
  static final Map<String, Connection> sessions = new ConcurrentHashMap<>();
  static final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

  static String handle(Map<String, String> m) throws SQLException {
    Connection c = sessions.get(m.getOrDefault("session", ""));
    switch (m.get("do")) {
      case "hello": return HELLO.get(name).replace('\n', ' ');
      case "open": sessions.put(m.get("session"), DriverManager.getConnection(m.get("place"))); return "";
      case "close": if (c != null) { c.rollback(); c.close(); } return "";
      case "begin":
        if (!LEVELS.contains(m.get("level"))) throw new SQLException("no such level");
        try (Statement s = c.createStatement()) {
          s.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + m.get("level"));
        }
        c.setAutoCommit(false);
        return "";
      case "sql": try (Statement s = c.createStatement()) { return rows(s, s.execute(m.get("sql"))); }
      case "commit": c.commit(); c.setAutoCommit(true); return "";
      case "rollback": c.rollback(); c.setAutoCommit(true); return "";
      default: throw new SQLException("unknown verb");
    }
  }

  static String rows(Statement s, boolean some) throws SQLException {
    if (!some) return "\"count\":" + s.getUpdateCount();
    StringJoiner rows = new StringJoiner(",", "\"rows\":[", "]");
    for (ResultSet r = s.getResultSet(); r.next();) {
      StringJoiner row = new StringJoiner(",", "[", "]");
      for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) row.add(quote(r.getString(i)));
      rows.add(row.toString());
    }
    return rows.toString();
  }

  static String quote(String s) {
    return s == null ? "null" : '"' + s.replace("\\", "\\\\").replace("\"", "\\\"").replace('\n', ' ') + '"';
  }

  static void answer(Map<String, String> m) {
    String reply;
    try {
      reply = handle(m);
    } catch (Exception e) {
      String code = e instanceof SQLException s ? s.getSQLState() : "";
      reply = "\"fail\":" + quote(e.toString()) + ",\"code\":" + quote(code);
    }
    System.out.println("{\"id\":" + m.get("id") + (reply.isEmpty() ? "" : ",") + reply + "}");
  }

  static final Pattern MEMBER = Pattern.compile("\"(\\w+)\"\\s*:\\s*(?:\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"|([^,}\\s]+))");

  public static void main(String[] args) throws IOException {
    name = args[0];
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      Map<String, String> m = new HashMap<>(); // requests are flat
      for (Matcher t = MEMBER.matcher(line); t.find();)
        m.put(t.group(1), t.group(2) == null ? t.group(3) : t.group(2).replaceAll("\\\\(.)", "$1"));
      threads.computeIfAbsent(m.getOrDefault("session", ""), k -> Executors.newSingleThreadExecutor()).execute(() -> answer(m));
    }
    System.exit(0);
  }
}
