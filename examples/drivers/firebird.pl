#!/usr/bin/perl
# A driver of isostress for Firebird, embedded: each session is a process with an attachment of its own.
#   isostress scorecard --driver="perl examples/drivers/firebird.pl" firebird:/tmp/t.fdb
# Debian: firebird3.0-server-core, libdbd-firebird-perl; processes share a file with ServerMode = Classic
# alone, in /etc/firebird/3.0/firebird.conf or, as in tests/live/firebird.sh, in that of the directory FIREBIRD.
use strict;
use warnings;
use DBD::Firebird;
use DBI;
use JSON::PP;

my ($db, %level);
$level{'snapshot'} = 'snapshot';    # firebirdsql.org, Language Reference 3.0, Transaction Statements
$level{'read committed'} = ['read_committed', 'record_version'];
$level{'snapshot table stability'} = 'snapshot_table_stability';
my $hello = {isostress => 1, name => 'firebird', version => 'Firebird 3.0, embedded, by DBD::Firebird',
  levels => [{name => 'snapshot', claims => 'si'}, {name => 'read committed', claims => 'rc'},
    {name => 'snapshot table stability', claims => 'ser'}],
  does => ['append'],
  causes => {'update conflicts with concurrent update' => 'write conflict', 'deadlock' => 'deadlock', 'PRIMARY or UNIQUE KEY' => 'constraint',
    'lock time-out' => 'lock timeout', 'lock conflict' => 'lock timeout'}};

sub rows { $db->selectall_arrayref(@_) }

sub create {    # every table anew, with a row of each key
  my ($keys, @create) = @_;
  $db->do("RECREATE TABLE isostress_$_") for @create;
  $db->do("EXECUTE BLOCK AS DECLARE k BIGINT = 0; BEGIN WHILE (k < $keys) DO BEGIN
    INSERT INTO isostress_kv VALUES (:k, 0); INSERT INTO isostress_list VALUES (:k, ''); k = k + 1; END END");
  return {};
}

my %verbs = (
  hello => sub { $hello },
  open => sub {
    my %at = (db_path => shift->{place}, user => 'SYSDBA');
    eval { DBD::Firebird->create_database({%at}) } unless -e $at{db_path};    # another session may be faster
    $db = DBI->connect("dbi:Firebird:dbname=$at{db_path}", 'SYSDBA', '', {RaiseError => 1, PrintError => 0});
    return {};
  },
  close => sub { $db->rollback unless $db->{AutoCommit}; $db->disconnect; return {} },
  setup => sub {
    create(shift->{keys}, 'kv (k BIGINT PRIMARY KEY, v BIGINT)', 'list (k BIGINT PRIMARY KEY, v VARCHAR(32000))');
  },
  begin => sub {
    my $name = $level{shift->{level}} or die "no such level\n";
    $db->func(-access_mode => 'read_write', -isolation_level => $name, -lock_resolution => {wait => 5}, 'ib_set_tx_param');
    $db->begin_work;
    return {};
  },
  get => sub { return {value => rows('SELECT v FROM isostress_kv WHERE k = ?', {}, shift->{key})->[0][0]} },
  put => sub { my $m = shift; $db->do('UPDATE isostress_kv SET v = ? WHERE k = ?', {}, $m->{value}, $m->{key}); return {} },
  list => sub {
    my $row = rows('SELECT v FROM isostress_list WHERE k = ?', {}, shift->{key})->[0];
    return {values => [$row ? split /,/, $row->[0] : ()]};
  },
  append => sub {    # a key that setup did not make has no row
    my $m = shift;
    $db->do("UPDATE isostress_list SET v = v || '$m->{value},' WHERE k = ?", {}, $m->{key}) > 0
      or $db->do('INSERT INTO isostress_list VALUES (?, ?)', {}, $m->{key}, "$m->{value},");
    return {};
  },
  commit => sub { $db->commit; return {} },
  rollback => sub { $db->rollback unless $db->{AutoCommit}; return {} });

$| = 1;
while (my $line = <STDIN>) {
  my $m = decode_json($line);
  my $reply = eval { ($verbs{$m->{do}} or die "unknown verb\n")->($m) } // {fail => $@ =~ s/\s+/ /gr};
  print encode_json({id => $m->{id}, %$reply}), "\n";
}
