package io.github.rpcrdma4j.cli;

/** Checks a text against the grammar of JSON (RFC 8259). */
public final class JsonText {
    private final String text;
    private int at;

    public JsonText(String text) {
        this.text = text.strip();
    }

    /** Returns the text if it is a single JSON value. */
    public String whole() {
        value();
        if (at != text.length()) {
            throw wrong();
        }
        return text;
    }

    private AssertionError wrong() {
        return new AssertionError("no JSON at " + at + ": " + text.substring(at));
    }

    private void value() {
        switch (text.charAt(at)) {
            case '{' -> list('}', true);
            case '[' -> list(']', false);
            case '"' -> string();
            default -> word();
        }
    }

    private void expect(char wanted) {
        if (at >= text.length() || text.charAt(at) != wanted) {
            throw wrong();
        }
        at++;
    }

    private void list(char end, boolean named) {
        at++;
        if (text.charAt(at) == end) {
            at++;
            return;
        }
        while (true) {
            if (named) {
                string();
                expect(':');
            }
            value();
            if (text.charAt(at) == end) {
                at++;
                return;
            }
            expect(',');
        }
    }

    private void string() {
        expect('"');
        while (text.charAt(at) != '"') {
            if (text.charAt(at) < ' ') {
                throw wrong();
            }
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }

    private void word() {
        var word = text.substring(at).replaceFirst("(?s)[^-+.\\w].*", "");
        if (!word.matches("true|false|null|-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d+)?")) {
            throw wrong();
        }
        at += word.length();
    }
}
