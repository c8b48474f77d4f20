// SPDX-License-Identifier: GPL-3.0-or-later
// The tree that a script is read as (sql/tree.h), and what the reader makes of
// text that is no script.
#include "config.h"

#include "sql/tree.h"

#include "base/memory.h"
#include "tests/tap.h"

#include <inttypes.h>

static const char shop[] =
    "CREATE TABLE account (id int PRIMARY KEY, balance int, owner int);\n"
    "INSERT INTO account VALUES (1, 10, 7), (2, 20, 7);\n";

// ---- A tree as text

static void put_node(FILE *out, const struct sql_node *node) {
  if (node->left && !node->right) {
    fprintf(out, "%s(", node->op == SQL_BRACKETS ? "" : node->text);
    put_node(out, node->left);
    fputc(')', out);
  } else if (node->left) {
    fputc('(', out);
    put_node(out, node->left);
    fprintf(out, " %s ", node->text);
    put_node(out, node->right);
    fputc(')', out);
  } else if (node->op == SQL_LOAD) {
    fprintf(out, "v%" PRId64, node->number);
  } else if (node->op == SQL_COLUMN) {
    fprintf(out, "c%" PRId64, node->number);
  } else {
    fprintf(out, "%" PRId64, node->number);
  }
}

static void put_outputs(FILE *out, const struct sql_item *item) {
  fputs(item->everything ? " *" : "", out);
  for (uint32_t i = 0; i < item->noutputs && !item->everything; i++)
    fprintf(out, " %s%s",
            item->outputs[i].of[0] ? item->outputs[i].of : "count",
            item->keeps ? "!" : "");
}

static void put_values(FILE *out, const struct sql_item *item) {
  for (uint32_t c = 0; item->table && c < item->table->ncolumns; c++)
    if (item->sets[c]) {
      fprintf(out, " %s=", item->table->columns[c]);
      put_node(out, item->sets[c]);
    }
}

static int put_item(void *context, const struct sql_item *item) {
  static const char *const kinds[] = {"set",    "if",     "else",     "endif",
                                      "begin",  "commit", "rollback", "select",
                                      "update", "delete", "insert"};
  FILE *out = context;
  fprintf(out, "%s%s", item->alone ? "alone " : "", kinds[item->kind]);
  if (item->kind == SQL_ITEM_SET)
    fprintf(out, " v%" PRIu32, item->variable);
  if (item->kind <= SQL_ITEM_IF && item->value) {
    fputc(' ', out);
    put_node(out, item->value);
  }
  if (item->kind >= SQL_ITEM_SELECT) {
    fprintf(out, " %s", item->table->name);
    put_outputs(out, item);
    put_values(out, item);
  }
  if (item->where) {
    fputs(" where ", out);
    put_node(out, item->where);
  }
  fputs(item->lock == SQL_LOCK_UPDATE  ? " locked\n"
        : item->lock == SQL_LOCK_SHARE ? " shared\n"
                                       : "\n",
        out);
  return 0;
}

// Reads a script of the shop.  -1 with a sentence.
static int read_tree(const char *script, char **tree, struct error *error) {
  struct sql_schema *schema = xcalloc(1, sizeof *schema);
  struct sql_reader of_schema = {
      .path = "shop.sql", .p = shop, .line = 1, .error = error};
  struct sql_reader r = {
      .path = "a.pgbench", .p = script, .line = 1, .error = error};
  size_t bytes;
  char *rows;
  FILE *out = text_stream(&rows, &bytes);
  CHECK_INT(sql_read_schema(&of_schema, schema, out), 0);
  fclose(out);
  free(rows);
  out = text_stream(tree, &bytes);
  struct sql_parser parser = {
      .r = &r, .schema = schema, .emit = put_item, .emitter = out};
  const int failed = sql_parse(&parser);
  fclose(out);
  sql_schema_free(schema);
  return failed;
}

static void expect_tree(const char *script, const char *wanted) {
  struct error error = {0};
  char *tree;
  CHECK_INT(read_tree(script, &tree, &error), 0);
  CHECK_STR(error.text, "");
  CHECK_STR(tree, wanted);
  free(tree);
}

static void expect_refused(const char *script, const char *words) {
  struct error error = {0};
  char *tree;
  CHECK_INT(read_tree(script, &tree, &error), -1);
  if (!CHECK(strstr(error.text, words)))
    printf("# %s: \"%s\" has no \"%s\"\n", script, error.text, words);
  free(tree);
}

// ---- Tests

static void statements_are_items(void) {
  expect_tree("BEGIN;\n"
              "SELECT balance FROM account WHERE id = 1 FOR UPDATE \\gset\n"
              "UPDATE account SET balance = :balance - 5 WHERE id = 1;\n"
              "COMMIT;\n",
              "begin\n"
              "select account balance! where (c0 = 1) locked\n"
              "update account balance=(v1 - 5) where (c0 = 1)\n"
              "commit\n");
  expect_tree("DELETE FROM account WHERE balance < 0;",
              "alone delete account where (c1 < 0)\n");
  expect_tree("INSERT INTO account (owner, id, balance) VALUES (3, 4, 5);",
              "alone insert account id=4 balance=5 owner=3\n");
  expect_tree("SELECT * FROM account;", "alone select account *\n");
}

// As PostgreSQL binds operators.
static void operators_bind(void) {
  expect_tree("SELECT * FROM account WHERE balance + 2 * 3 > 4 AND NOT id = 1 "
              "OR owner = 2;",
              "alone select account * where ((((c1 + (2 * 3)) > 4) and "
              "not((c0 = 1))) or (c2 = 2))\n");
  expect_tree("SELECT * FROM account WHERE balance - 2 - 3 = 0;",
              "alone select account * where (((c1 - 2) - 3) = 0)\n");
}

static void commands_are_items(void) {
  expect_tree("\\set price 3 * (2 + :client_id)\n"
              "BEGIN;\n"
              "\\if :price > 6\n"
              "DELETE FROM account WHERE id = :price;\n"
              "\\else\n"
              "DELETE FROM account WHERE id = 1;\n"
              "\\endif\n"
              "COMMIT;\n",
              "set v1 (3 * ((2 + v0)))\n"
              "begin\n"
              "if (v1 > 6)\n"
              "delete account where (c0 = v1)\n"
              "else\n"
              "delete account where (c0 = 1)\n"
              "endif\n"
              "commit\n");
}

// Each with file and line.
static void no_script_is_refused(void) {
  expect_refused("SELECT", "a.pgbench:1: ");
  expect_refused("\n\nUPDATE account SET", "a.pgbench:3: ");
  expect_refused("SELECT * FROM nothing;", "nothing");
  expect_refused("SELECT colour FROM account;", "colour");
  expect_refused("SELECT * FROM account WHERE id = 'x", "a.pgbench:1: ");
  expect_refused("DELETE FROM account WHERE id = ((((1);", "a.pgbench:1: ");
  expect_refused("BEGIN;\nDELETE FROM account WHERE id = 1;", "COMMIT");
  expect_refused("\\if 1\n", "a.pgbench:1: \\if must stand between");
  expect_refused("BEGIN;\n\\if 1\nDELETE FROM account WHERE id = 1;\nCOMMIT;",
                 "endif");
  expect_refused("\\set\n", "a.pgbench:1: ");
  expect_refused("\\set x 99999999999999999999\n", "a.pgbench:1: ");
  expect_refused("SELECT * FROM account /* no end", "a.pgbench:1: ");
  expect_refused(":x", "a.pgbench:1: ");
}

// Both are told at once.
static void all_refusals_are_told(void) {
  expect_refused("SELECT colour FROM account;\nSELECT size FROM account;\n",
                 "a.pgbench:2: ");
  expect_refused("SELECT colour FROM account;\nSELECT size FROM account;\n",
                 "a.pgbench:1: ");
}

// A script that ends anywhere, or has a byte of another kind anywhere, is read
// or refused by file and line.
static void any_text_comes_to_an_end(void) {
  static const char good[] =
      "\\set n 1 + 2\nBEGIN;\nSELECT balance, owner FROM account a WHERE (a.id "
      "= :n OR id < 3) AND NOT balance = -1 FOR UPDATE \\gset\n\\if :balance > "
      "0\nUPDATE account SET balance = :balance, owner = 2 WHERE id = "
      ":n;\n\\endif\nINSERT INTO account VALUES (9, 1, 2);\nCOMMIT; -- end\n";
  static const char others[] = "\x01\x80('\"\\;:";
  struct error error = {0};
  char *tree, text[sizeof good];
  CHECK_INT(read_tree(good, &tree, &error), 0);
  free(tree);
  for (size_t at = 0; at < sizeof good - 1; at++)
    for (size_t o = 0; o < sizeof others; o++) { // the last one ends the text
      struct error why = {0};
      memcpy(text, good, sizeof good);
      text[at] = others[o];
      const int failed = read_tree(text, &tree, &why);
      CHECK(!failed || strstr(why.text, "a.pgbench:"));
      free(tree);
    }
}

int main(void) {
  return TAP_RUN({"statements are items", statements_are_items},
                 {"operators bind as in SQL", operators_bind},
                 {"commands are items", commands_are_items},
                 {"what is no script is refused", no_script_is_refused},
                 {"all refusals are told", all_refusals_are_told},
                 {"any text comes to an end", any_text_comes_to_an_end});
}
