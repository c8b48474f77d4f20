-- Reports what the branches hold. One statement sees both.
INSERT INTO report (north, south) SELECT sum(balance) FILTER (WHERE branch = 'north'),
  sum(balance) FILTER (WHERE branch = 'south') FROM account;
