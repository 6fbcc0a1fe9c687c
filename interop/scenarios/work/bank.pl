# bank.pl open FILE: makes accounts.
# bank.pl move FILE SEED: moves money between them a hundred times, and counts all of it now and then.
# bank.pl count FILE: counts it.
# Each account has sixteen bytes and a lock of its own. A lock on all of them is taken to count.
use strict;
use warnings;
use Fcntl qw(:DEFAULT);

my ($action, $file, $seed) = @ARGV;
my ($accounts, $each, $bytes) = (20, 1000, 16);

sysopen(my $bank, $file, O_RDWR | ($action eq 'open' ? O_CREAT | O_EXCL : 0)) or die "cannot open $file: $!\n";

sub place {
    my ($type, $start, $length) = @_;
    # struct flock of Linux on 64 bits: type, whence, start, length, pid.
    my $lock = pack('s s x4 q q i x4', $type, 0, $start, $length, 0);
    fcntl($bank, F_SETLKW, $lock) or die "no lock on $length bytes at $start: $!\n";
}

sub balance {
    my ($number) = @_;
    sysseek($bank, $number * $bytes, 0) or die "cannot seek: $!\n";
    my $got = sysread($bank, my $record, $bytes);
    die "cannot read: $!\n" unless defined $got;
    die "account $number is '$record'\n" unless $got == $bytes && $record =~ /^ *(-?\d+)\n$/;
    return $1;
}

sub set {
    my ($number, $amount) = @_;
    sysseek($bank, $number * $bytes, 0) or die "cannot seek: $!\n";
    my $written = syswrite($bank, sprintf("%*d\n", $bytes - 1, $amount));
    die "cannot write: $!\n" unless defined $written && $written == $bytes;
}

sub count {
    place(F_WRLCK, 0, $accounts * $bytes);
    my $sum = 0;
    $sum += balance($_) for 0 .. $accounts - 1;
    place(F_UNLCK, 0, $accounts * $bytes);
    die "there is $sum, not " . $accounts * $each . "\n" unless $sum == $accounts * $each;
}

sub move {
    my ($from, $to) = @_;
    # In the order of their numbers, so that no two processes wait for each other.
    my @both = sort { $a <=> $b } $from, $to;
    place(F_WRLCK, $_ * $bytes, $bytes) for @both;
    my $amount = int(rand(100));
    set($from, balance($from) - $amount);
    set($to, balance($to) + $amount);
    place(F_UNLCK, $_ * $bytes, $bytes) for @both;
}

if ($action eq 'open') {
    set($_, $each) for 0 .. $accounts - 1;
} elsif ($action eq 'count') {
    count();
} else {
    srand($seed + time() * 10);
    for my $turn (1 .. 100) {
        my $from = int(rand($accounts));
        my $to = ($from + 1 + int(rand($accounts - 1))) % $accounts;
        move($from, $to);
        count() if $turn % 25 == 0;
    }
}
close($bank) or die "cannot close $file: $!\n";
