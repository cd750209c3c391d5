// Renders again, with Apache Velocity and Java's own classes, what the tests rendered with velocityjs and stand-ins, and tells
// where the two differ. One rendering a line, as support/velocity.ts writes them: template, message, and what came of it.
import java.io.StringWriter;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.lang.StringEscapeUtils;
import org.apache.velocity.VelocityContext;
import org.apache.velocity.app.VelocityEngine;

public class Velocity {
    public static void main(String[] arguments) throws Exception {
        VelocityEngine engine = new VelocityEngine();
        engine.setProperty("runtime.log.logsystem.class", "org.apache.velocity.runtime.log.NullLogChute");
        engine.init();
        List<String> lines = Files.readAllLines(Path.of(arguments[0]));
        int differ = 0;
        for (String line : lines) {
            Map<String, Object> wanted = object(Json.parse(line));
            String made = Json.text(render(engine, wanted));
            String want = Json.text(outcome(wanted.get("text"), wanted.get("status"), object(wanted.get("headers"))));
            if (!made.equals(want)) {
                differ++;
                System.out.println("velocityjs: " + want + "\nVelocity:   " + made + "\nmessage:    " + wanted.get("body") + "\n");
            }
        }
        System.out.println(lines.size() + " renderings, " + differ + " differ");
        System.exit(differ == 0 && !lines.isEmpty() ? 0 : 1);
    }

    private static Map<String, Object> render(VelocityEngine engine, Map<String, Object> given) {
        Map<String, Object> headers = new LinkedHashMap<>();
        Map<String, Object> override = new HashMap<>(Map.of("header", headers));
        VelocityContext context = new VelocityContext();
        context.put("input", new Input((String) given.get("body"), object(given.get("path")), object(given.get("query"))));
        context.put("util", new Util());
        context.put("context", new HashMap<>(Map.of("requestId", given.get("requestId"), "responseOverride", override)));
        StringWriter text = new StringWriter();
        engine.evaluate(context, text, "template", (String) given.get("template"));
        return outcome(text.toString(), override.get("status"), headers);
    }

    private static Map<String, Object> outcome(Object text, Object status, Map<String, Object> headers) {
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("text", text);
        outcome.put("status", status == null ? null : ((Number) status).longValue());
        outcome.put("headers", headers);
        return outcome;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    /** API Gateway's $input, as far as the templates use it. */
    public static class Input {
        private final String body;
        private final Map<String, Object> params;

        Input(String body, Map<String, Object> path, Map<String, Object> query) {
            this.body = body;
            this.params = Map.of("path", path, "querystring", query, "header", Map.of());
        }

        public String getBody() {
            return body;
        }

        public Map<String, Object> params() {
            return params;
        }

        public Object path(String path) {
            Object value = Json.parse(body);
            String[] names = path.split("\\.");
            for (int index = 1; index < names.length; index++) {
                value = value instanceof Map ? object(value).get(names[index]) : null;
            }
            return value;
        }

        public String json(String path) {
            return Json.text(path(path));
        }
    }

    /** API Gateway's $util, as far as the templates use it. */
    public static class Util {
        public String escapeJavaScript(String text) {
            return StringEscapeUtils.escapeJavaScript(text);
        }

        public Object parseJson(String text) {
            return Json.parse(text);
        }

        public String urlEncode(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }

        public String urlDecode(String text) {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        }
    }

    /** JSON as maps, lists and texts; what it reads was written by JavaScript. */
    private static class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        static Object parse(String text) {
            return new Json(text).value();
        }

        static String text(Object value) {
            if (value instanceof String string) {
                StringBuilder quoted = new StringBuilder("\"");
                string.chars().forEach(unit -> quoted.append(unit < 32 || unit == '"' || unit == '\\' ? String.format("\\u%04x", unit) : String.valueOf((char) unit)));
                return quoted.append('"').toString();
            }
            if (value instanceof Map) {
                return object(value).entrySet().stream().map(entry -> text(entry.getKey()) + ":" + text(entry.getValue())).collect(Collectors.joining(",", "{", "}"));
            }
            if (value instanceof List<?> list) {
                return list.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
            }
            return String.valueOf(value);
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at++);
        }

        private Object value() {
            char first = next();
            switch (first) {
                case '"':
                    return string();
                case '{':
                    Map<String, Object> object = new LinkedHashMap<>();
                    for (char mark = next(); mark != '}'; mark = next()) {
                        if (mark == ',') {
                            mark = next();
                        }
                        String name = string();
                        next();
                        object.put(name, value());
                    }
                    return object;
                case '[':
                    List<Object> list = new ArrayList<>();
                    for (char mark = next(); mark != ']'; mark = next()) {
                        at -= mark == ',' ? 0 : 1;
                        list.add(value());
                    }
                    return list;
                default:
                    int start = at - 1;
                    while (at < text.length() && "-+.0123456789abcdefghijklmnopqrstuvwxyzE".indexOf(text.charAt(at)) >= 0) {
                        at++;
                    }
                    String word = text.substring(start, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true" -> true;
                        case "false" -> false;
                        default -> word.matches("-?\\d+") ? (Object) Long.valueOf(word) : Double.valueOf(word);
                    };
            }
        }

        /** The rest of a string, behind its first quote. */
        private String string() {
            StringBuilder string = new StringBuilder();
            for (char unit = text.charAt(at++); unit != '"'; unit = text.charAt(at++)) {
                if (unit == '\\') {
                    unit = text.charAt(at++);
                    switch (unit) {
                        case 'n' -> unit = '\n';
                        case 't' -> unit = '\t';
                        case 'r' -> unit = '\r';
                        case 'b' -> unit = '\b';
                        case 'f' -> unit = '\f';
                        case 'u' -> {
                            unit = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                            at += 4;
                        }
                        default -> { }
                    }
                }
                string.append(unit);
            }
            return string.toString();
        }
    }
}
